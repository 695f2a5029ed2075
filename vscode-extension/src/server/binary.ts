// Where the server's program lies: what the person chose, what came with the extension, the PATH.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { homedir } from "node:os";

export interface BinarySearch {
  /** The setting; empty where nothing is set. */
  chosen: string;
  extensionFolder: string;
  /** The variable `PATH`. */
  path: string;
  platform: NodeJS.Platform;
}

export type BinaryFound = { kind: "found"; file: string } | { kind: "missing"; searched: string[] };

/** A chosen program is the only one that counts: silently running another one would be a surprise. */
export function findBinary(search: BinarySearch, isProgram: (file: string) => boolean = isExecutable): BinaryFound {
  const candidates = search.chosen === "" ? usualPlaces(search) : [atHome(search.chosen)];
  const file = candidates.find((candidate) => isAbsolute(candidate) && isProgram(candidate));
  return file === undefined ? { kind: "missing", searched: candidates } : { kind: "found", file };
}

function usualPlaces(search: BinarySearch): string[] {
  const name = search.platform === "win32" ? "pollux.exe" : "pollux";
  const folders = search.path.split(delimiter).filter((folder) => folder !== "");
  return [join(search.extensionFolder, "bin"), ...folders].map((folder) => join(folder, name));
}

function atHome(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
