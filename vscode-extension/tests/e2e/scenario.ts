// A test in a workbench of its own. What went wrong is kept as a picture; console errors fail it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workbench, type Setup } from "./workbench";

/** A wait that has no deadline of its own must not hold up all that comes after it. */
const LONGEST_MS = 240_000;

export function scenario(name: string, setup: Setup, play: (workbench: Workbench) => Promise<void>): void {
  test(name, { timeout: LONGEST_MS }, async (context) => {
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
