// Tests in a workbench. Starting one takes longer than most tests, so those that can share one do, each with files,
// a session and a script of its own. What went wrong is kept as a picture; errors of the console and requests that
// leave the machine fail a test.
import assert from "node:assert/strict";
import { after, test, type TestContext } from "node:test";
import type { Reply } from "./model";
import { Workbench, type Setup } from "./workbench";

/** A wait that has no deadline of its own must not hold up all that comes after it. */
const LONGEST_MS = 240_000;
/** For opening a workbench and closing it, around what is played in it. */
const AROUND_MS = 120_000;

type Play = (workbench: Workbench, context: TestContext) => Promise<void>;

/** For what needs a workbench in a state that nothing has touched. */
export function scenario(name: string, setup: Setup, play: Play): void {
  test(name, { timeout: LONGEST_MS + AROUND_MS }, async (context) => {
    const workbench = await Workbench.open(setup);
    try {
      await watched(workbench, name, context, play);
    } finally {
      await workbench.close();
    }
  });
}

export interface Scene {
  /** The prompt, in words that no other scene has: by them the model knows which script is meant. */
  asks: string;
  /** Their names are their own, because all scenes lie in one folder. */
  files: Record<string, string>;
  replies: Reply[];
}

const all: Required<Pick<Setup, "files" | "replies">> = { files: {}, replies: [] };
let shared: Promise<Workbench> | undefined;

/** In the workbench that all scenes share. */
export function scene(name: string, { asks, files, replies }: Scene, play: Play): void {
  Object.assign(all.files, files);
  all.replies.push(...replies.map((reply) => ({ ...reply, when: { body: asks } })));
  test(name, { timeout: LONGEST_MS + AROUND_MS }, async (context) => {
    // By now every scene has said what it needs.
    shared ??= Workbench.open(all);
    const workbench = await shared.catch((error: unknown) => {
      shared = undefined;
      throw error;
    });
    try {
      await watched(workbench, name, context, async () => {
        await workbench.clear();
        workbench.errors.length = 0;
        workbench.strayRequests.length = 0;
        await play(workbench, context);
      });
    } catch (error) {
      // Whatever state it is in now must not become the failure of all that follow.
      shared = undefined;
      await workbench.close();
      throw error;
    }
  });
}

after(async () => (await shared)?.close());

async function watched(workbench: Workbench, name: string, context: TestContext, play: Play): Promise<void> {
  workbench.errors.length = 0;
  workbench.strayRequests.length = 0;
  try {
    await inTime(play(workbench, context));
    await workbench.allSaved();
    assert.deepEqual(workbench.errors, []);
    assert.deepEqual(workbench.strayRequests, []);
  } catch (error) {
    await workbench.picture(`failed-${name.replaceAll(/\W+/g, "-")}`);
    context.diagnostic(workbench.log);
    context.diagnostic(`in the way: ${(await workbench.inTheWay()).join("; ")}`);
    throw error;
  }
}

/** What hangs is ended here and not by the runner, which would go on to the next while this one still presses keys. */
async function inTime(played: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => { reject(new Error("it took too long")); }, LONGEST_MS);
  });
  // It may fail once more when its workbench is closed under it; the first failure is the one that is told.
  played.catch(() => undefined);
  await Promise.race([played, late]).finally(() => { clearTimeout(timer); });
}
