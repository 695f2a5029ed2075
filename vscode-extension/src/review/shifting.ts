// Where a hunk is after the text was edited. The server says it exactly a moment later; until then
// buttons must stay beside their lines.

/** Lines `first` to `last`, without `last`. Equal ones are a gap. */
export interface LineSpan {
  first: number;
  last: number;
}

/** One change of a document, as an editor tells it. */
export interface TextChange {
  startLine: number;
  endLine: number;
  /** Column zero of `endLine`: that line itself is not touched. */
  endsAtLineStart: boolean;
  addedLines: number;
}

export function shifted(span: LineSpan, change: TextChange): LineSpan {
  const delta = change.addedLines - (change.endLine - change.startLine);
  const linesAbove = change.addedLines > 0 || change.endLine > change.startLine;
  const isAbove = change.endLine < span.first || (change.endLine === span.first && change.endsAtLineStart && linesAbove);
  if (isAbove) return { first: span.first + delta, last: span.last + delta };
  if (change.startLine >= span.last) return span;
  const first = Math.min(span.first, change.startLine);
  return { first, last: Math.max(first, Math.max(span.last, change.endLine + 1) + delta) };
}
