// Images that were pasted or dropped.
import type { Attachment } from "../../src/chat/messages";

const LARGEST = 10 * 1024 * 1024;

export function imagesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));
}

export async function readImage(file: File): Promise<Attachment | "tooBig"> {
  if (file.size > LARGEST) return "tooBig";
  const bytes = new Uint8Array(await file.arrayBuffer());
  // A call takes only so many arguments.
  const step = 32_768;
  let binary = "";
  for (let from = 0; from < bytes.length; from += step) binary += String.fromCharCode(...bytes.subarray(from, from + step));
  return { kind: "image", mimeType: file.type, data: btoa(binary), name: file.name || "image" };
}

/** Files dragged out of the explorer come as a list of addresses. */
export function pathsIn(data: DataTransfer | null): string[] {
  const list = data?.getData("application/vnd.code.uri-list") ?? "";
  return list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
}
