// Text of strangers, made safe to look at: nothing that hides, reorders or repaints what stands beside it.

/** Marks that change the order of letters, or that cannot be seen. Joiners stay: emoji and scripts need them. */
const HIDDEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
// Colours and cursor movements (CSI), titles and links (OSC, DCS …), and two-letter commands.
const ANSI = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_](?:[^\u0007\u001b]|\u001b(?!\\))*(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]?/g;

function named(mark: string): string {
  const code = mark.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Shows what hides by its number, and drops what only a terminal understands. */
export function visible(text: string): string {
  return text.replace(ANSI, "").replace(CONTROLS, "").replace(HIDDEN, named);
}

/** A line that was written over and over, as progress bars are: what stands there in the end. */
function overwritten(line: string): string {
  const end = line.endsWith("\r") ? line.length - 1 : line.length;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

export const LONGEST_LINE = 1_000;

export interface Cut {
  lines: string[];
  /** Whether anything of these lines was left out. */
  shortened: boolean;
}

/** Lines of output, safe to show, none of them endless. */
export function outputLines(text: string): Cut {
  let shortened = false;
  const lines = text.split("\n").map((raw) => {
    const line = visible(overwritten(raw));
    if (line.length <= LONGEST_LINE) return line;
    shortened = true;
    return `${line.slice(0, LONGEST_LINE)}…`;
  });
  if (lines.at(-1) === "") lines.pop();
  return { lines, shortened };
}

/** The last lines, without reading all that stands before them. */
export function lastLines(text: string, count: number): Cut {
  const end = outputLines(text.slice(-(count * LONGEST_LINE)));
  return { lines: end.lines.slice(-count), shortened: end.shortened };
}

/** While text streams in, a word that is not finished is held back. */
export function wholeWords(text: string): string {
  const longest = 40;
  for (let place = text.length; place > Math.max(0, text.length - longest); place -= 1) {
    if (!/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]/u.test(text[place - 1] ?? "")) return text.slice(0, place);
  }
  return text.length <= longest ? "" : text;
}

export function oneLine(text: string, longest = 300): string {
  const line = visible(text.slice(0, longest * 2)).replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
