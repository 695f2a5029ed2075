// Images that were pasted or dropped. What no model takes, or what is too large, is drawn anew.
import type { Attachment } from "../../src/chat/messages";

/** What the server takes. */
const TAKEN: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/heic", "image/heif"]);
const LARGEST_BYTES = 10 * 1024 * 1024;
/** Of the longer side, in pixels. No model looks closer. */
const LONGEST_SIDE = 4_096;
/** Letters of a drawing that is a text. */
const LONGEST_TEXT = 190_000;

/** Why an image was left out. */
export type Unread = "imageTooBig" | "imageNotTaken";

export function imagesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));
}

export async function readImage(file: File): Promise<Attachment | Unread> {
  if (file.type === "image/svg+xml") return readDrawing(file);
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  const isTaken = TAKEN.has(file.type);
  const fits = file.size <= LARGEST_BYTES;
  // Not every image that a model takes can be looked at here.
  if (bitmap === undefined) return !isTaken ? "imageNotTaken" : fits ? attached(file, file.type, file.name) : "imageTooBig";
  const longest = Math.max(bitmap.width, bitmap.height);
  if (isTaken && fits && longest <= LONGEST_SIDE) return attached(file, file.type, file.name);
  const drawn = await drawnAnew(bitmap, Math.min(1, LONGEST_SIDE / longest), file.type);
  return drawn === undefined ? "imageTooBig" : attached(drawn, drawn.type, renamed(file.name, drawn.type));
}

/** A model reads a drawing that is a text better than it sees it. */
async function readDrawing(file: File): Promise<Attachment | Unread> {
  const text = await file.text();
  return text.length > LONGEST_TEXT ? "imageNotTaken" : { kind: "text", label: file.name || "image.svg", text };
}

/** Without loss if that fits, and for a photograph as one. */
async function drawnAnew(bitmap: ImageBitmap, scale: number, type: string): Promise<Blob | undefined> {
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale)));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  for (const wanted of type === "image/jpeg" ? ["image/jpeg"] : ["image/png", "image/jpeg"]) {
    const blob = await canvas.convertToBlob({ type: wanted, quality: 0.9 });
    if (blob.size <= LARGEST_BYTES) return blob;
  }
  return undefined;
}

function renamed(name: string, type: string): string {
  return `${name.replace(/\.\w{1,5}$/, "") || "image"}.${type === "image/png" ? "png" : "jpg"}`;
}

async function attached(blob: Blob, mimeType: string, name: string): Promise<Attachment> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  // A call takes only so many arguments.
  const step = 32_768;
  let binary = "";
  for (let from = 0; from < bytes.length; from += step) binary += String.fromCharCode(...bytes.subarray(from, from + step));
  return { kind: "image", mimeType, data: btoa(binary), name: name || "image" };
}

/** Files dragged out of the explorer come as a list of addresses. */
export function pathsIn(data: DataTransfer | null): string[] {
  const list = data?.getData("application/vnd.code.uri-list") ?? "";
  return list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
}
