// Texts as lines. A line keeps its line end, so that joining them gives the same bytes back.

export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export function countLines(text: string): number {
  return splitLines(text).length;
}

export function withoutLineEnd(line: string): string {
  return line.replace(/\r?\n$/, "");
}

/** The first line with something to read on it. */
export function firstWords(text: string): string {
  const line = splitLines(text).find((candidate) => candidate.trim() !== "");
  return (line ?? "").trim();
}
