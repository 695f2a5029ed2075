// What lies in the workspace, and what the model answers. Both sides know it: who prepares, and who looks.
import { replaces, says, writes, type Reply } from "../e2e/model";

/** Twelve lines; the given ones are the agent's. */
export function lines(name: string, changed: readonly number[]): string {
  const all = Array.from({ length: 12 }, (_, place) => {
    const value = changed.includes(place) ? `agent(${place})` : `old(${place})`;
    return `export const ${name}${place} = ${value};\n`;
  });
  return all.join("");
}

export interface Task {
  /** In words that no other task has: by them the model knows which script is meant. */
  asks: string;
  files: Record<string, string>;
  replies: Reply[];
}

const three = (asks: string, name: string): Task => ({
  asks,
  files: { [`${name}.ts`]: lines(name, []) },
  replies: [writes(`${name}.ts`, lines(name, [1, 5, 9])), says("Done.")],
});

export const TASKS = {
  decide: three("change three lines to decide about", "decide"),
  original: three("change three lines to compare", "original"),
  undo: three("change three lines to take back", "undo"),
  killed: three("change three lines before the end", "killed"),
  lost: three("change three lines before the host ends", "lost"),
  lenses: three("change three lines without lenses", "lenses"),
  ahead: {
    asks: "change one line in each of two files",
    files: { "ahead/a.ts": "// one\n// two\n", "ahead/b.ts": "// one\n// two\n" },
    replies: [
      replaces("ahead/a.ts", "// two", "// 2"),
      replaces("ahead/b.ts", "// one", "// 1"),
      says("Both are changed."),
    ],
  },
} satisfies Record<string, Task>;

/** Code that a language server has something to say about. */
export const CODE = {
  lib: "export interface Box {\n  size: number;\n}\n",
  app: 'import type { Box } from "./lib";\n\nexport const width = (box: Box): number => box.size;\n',
};

export const FILES: Record<string, string> = Object.assign(
  { "code/tsconfig.json": "{}", "code/lib.ts": CODE.lib, "code/app.ts": CODE.app },
  { "notes.md": "# Notes\n\none\ntwo\nthree\n", "other.md": "# Other\n" },
  ...Object.values(TASKS).map((task) => task.files),
) as Record<string, string>;

export const REPLIES: Reply[] = Object.values<Task>(TASKS).flatMap(({ asks, replies }) =>
  replies.map((reply) => ({ ...reply, when: { body: asks } })),
);
