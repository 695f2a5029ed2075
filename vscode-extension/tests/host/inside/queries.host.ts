// What a client of MCP gets to know of the language extensions of this window. TypeScript is the real one, which comes with it.
import assert from "node:assert/strict";
import { McpClient } from "../mcp";
import { CODE } from "../script";
import { test } from "./suite";
import { becomes, folder, onDisk, open, run } from "./window";

interface Place {
  path: string;
  line: number;
  column: number;
  text: string;
}

test("definitions and references are told, and a rename is put to the person", async () => {
  const editor = await open("code/app.ts");
  const client = await McpClient.start(folder());
  try {
    const spot = { path: "code/app.ts", line: 3, symbol: "size" };
    const places = async (tool: string, at: object): Promise<string[]> => {
      const found = await client.call<{ places: Place[] }>(tool, at);
      return found.places.map(({ path, line, column, text }) => `${path}:${line}:${column} ${text.trim()}`).sort();
    };
    const defined = "code/lib.ts:2:3 size: number;";
    const used = "code/app.ts:3:48 export const width = (box: Box): number => box.size;";
    // TypeScript has to start, and then to read the project.
    await becomes(() => places("definition", spot), [defined]);
    // Of a file that no tab shows.
    await becomes(() => places("references", { path: "code/lib.ts", line: 2, symbol: "size" }), [used, defined]);

    const { edits } = await client.call<{ edits: { id: string; path: string }[] }>("rename", { ...spot, new_name: "height" });
    assert.deepEqual(edits.map(({ path }) => path).sort(), ["code/app.ts", "code/lib.ts"]);
    const files = async (): Promise<number> => (await client.call<{ files: object[] }>("pending_hunks", {})).files.length;
    await becomes(files, 2);
    assert.equal(editor.document.getText(), CODE.app);
    assert.equal(await onDisk("code/lib.ts"), CODE.lib);
    await run("keepAll");
    for (const { id } of edits) {
      const { state } = await client.call<{ state: string }>("wait_for_decision", { id });
      assert.equal(state, "kept");
    }
    await becomes(() => editor.document.getText(), CODE.app.replace("box.size", "box.height"));
    await becomes(() => onDisk("code/lib.ts"), CODE.lib.replace("size", "height"));
    await assert.rejects(client.call("rename", { path: "code/app.ts", line: 3, symbol: "number", new_name: "x" }), /the editor says: /);
  } finally {
    await client.close();
  }
});
