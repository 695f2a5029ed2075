// Which word at the cursor asks for suggestions.
export interface Trigger {
  trigger: "/" | "@";
  query: string;
  /** Where the word begins, with its sign. */
  from: number;
  to: number;
}

/** A slash counts only as the first letter of all: elsewhere it is a path. An @ counts where a word begins. */
export function triggerAt(text: string, cursor: number): Trigger | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:.-]*)$/.exec(before);
  if (command) return { trigger: "/", query: command[1] ?? "", from: 0, to: cursor };
  const mention = /(?:^|[\s(])@((?:[^\s@\\]|\\ )*)$/.exec(before);
  if (!mention) return undefined;
  const query = mention[1] ?? "";
  return { trigger: "@", query: query.replaceAll("\\ ", " "), from: cursor - query.length - 1, to: cursor };
}

/** The text with the word replaced, and where the cursor is then. */
export function replaced(text: string, at: Trigger, insert: string): { text: string; cursor: number } {
  const rest = text.slice(at.to);
  const space = rest.startsWith(" ") ? "" : " ";
  return { text: text.slice(0, at.from) + insert + space + rest, cursor: at.from + insert.length + 1 };
}
