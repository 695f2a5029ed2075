// A test in a workbench of its own. What went wrong is kept as a picture; console errors fail it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workbench, type Setup } from "./workbench";

export function scenario(name: string, setup: Setup, play: (workbench: Workbench) => Promise<void>): void {
  test(name, async (context) => {
    const workbench = await Workbench.open(setup);
    try {
      await play(workbench);
      assert.deepEqual(workbench.errors, []);
    } catch (error) {
      await workbench.picture(`failed-${name.replaceAll(/\W+/g, "-")}`);
      context.diagnostic(workbench.log);
      throw error;
    } finally {
      await workbench.close();
    }
  });
}
