// What lines of code begin with.

/** The blanks that every line begins with; blank lines do not count. */
export function commonIndent(lines: readonly string[]): string {
  let common: string | undefined;
  for (const line of lines) {
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (indent.length === line.length) continue;
    common ??= indent;
    while (!indent.startsWith(common)) common = common.slice(0, -1);
  }
  return common ?? "";
}
