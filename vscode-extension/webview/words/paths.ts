// Paths as a person of this workspace says them.

/** Relative to the workspace's folder, whose own name stands for itself. */
export function shortPath(path: string, folders: readonly string[]): string {
  const plain = path.replace(/(?<=.)[\\/]+$/, "");
  for (const folder of folders) {
    if (plain === folder) return folder.slice(Math.max(folder.lastIndexOf("/"), folder.lastIndexOf("\\")) + 1);
    if (plain.startsWith(folder) && /[\\/]/.test(plain[folder.length] ?? "")) return plain.slice(folder.length + 1);
  }
  return path;
}
