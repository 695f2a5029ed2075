// Measures the extension for `cargo xtask bench vscode`: each figure is a line of JSON on the standard output.
import { Workbench } from "../e2e/workbench";
import type { Reply, Step } from "../e2e/model";
import { begun, heap, paintTimes, showing, spread, streamChunks, type Spread } from "../view/measure";
import { Harness } from "../view/view";
import { between, extensionHost, PARTS, used, type Part } from "./cpu";
import { Inspector } from "./profile";

const SETTLE_MS = 30_000;
/** A minute in parts: what one of them happens to tidy up in between is not what being idle costs. */
const IDLE_PARTS = 12;
const IDLE_PART_MS = 5_000;
const WINDOWS = 5;
/** What the folder begins with that it is installed in. */
const EXTENSION = "pollux.pollux-";
const WORDS = 40;

const print = (figure: object): void => void process.stdout.write(`${JSON.stringify(figure)}\n`);
const times = (what: string, { median, p95, worst }: Spread): void => print({ what, unit: "ms", value: median, p95, worst });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function ofTheView(): Promise<void> {
  const harness = await Harness.start();
  try {
    times("event to painted text, in the view", spread(await paintTimes(await begun(harness))));
    times("frame while 5,000 chunks stream", spread((await streamChunks(await begun(harness))).frames));
    print({ what: "JS heap of the view after 1,000 messages", unit: "bytes", value: await heap(await showing(harness, 500)) });
  } finally {
    await harness.stop();
  }
}

/** The model says a word whenever it is told to; the page notes when it stands there. */
async function throughEverything(): Promise<void> {
  const steps: Step[] = Array.from({ length: WORDS }, (_, place): Step[] => [{ gate: `g${place}` }, { text: `word${place} \n\n` }]).flat();
  const replies: Reply[] = [{ steps: [{ text: "Begin.\n\n" }, ...steps, { finish: { reason: "STOP" } }] }];
  const workbench = await Workbench.open({ files: { "README.md": "# Project\n" }, replies });
  try {
    await workbench.openChat();
    await workbench.ask("say words");
    await workbench.said("Begin.");
    const seen: number[] = [];
    for (let place = 0; place < WORDS; place += 1) {
      const painted = workbench.chat().locator(".rows").evaluate(async (rows, word) => {
        while (!rows.textContent.includes(word)) await new Promise(requestAnimationFrame);
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        return Date.now();
      }, `word${place}`);
      // The page must be looking before the word is said.
      await workbench.chat().locator("body").evaluate(() => undefined);
      const said = Date.now();
      workbench.model?.open(`g${place}`);
      seen.push((await painted) - said);
    }
    times("model's words to painted text, through everything", spread(seen));
    const activations = [await workbench.activation()];
    for (let window = 1; window < WINDOWS; window += 1) {
      await workbench.page.reload();
      await workbench.page.locator('.statusbar-item[aria-label="Pollux: ready"]').waitFor();
      activations.push(await workbench.activation());
    }
    times("activation of the extension, as VS Code says", spread(activations));
  } finally {
    await workbench.close();
  }
}

/** Two windows side by side, so that both see the same machine: one with the extension and its chat, one without. */
async function idle(): Promise<void> {
  const files = { "README.md": "# Project\n" };
  const replies: Reply[] = [{ steps: [{ text: "A project." }, { finish: { reason: "STOP" } }] }];
  const [with_, without] = await Promise.all([Workbench.open({ files, replies }), Workbench.open({ files, program: "none" })]);
  try {
    await with_.openChat();
    await with_.page.locator('.statusbar-item[aria-label="Pollux: ready"]').waitFor();
    await pause(SETTLE_MS);
    const parts: Record<Part, number>[][] = [];
    let before = [used(with_.roots), used(without.roots)];
    for (let part = 0; part < IDLE_PARTS; part += 1) {
      await pause(IDLE_PART_MS);
      const after = [used(with_.roots), used(without.roots)];
      parts.push(after.map((now, window) => between(before[window] ?? now, now)));
      before = after;
    }
    const spent = (window: 0 | 1, part: Part): number =>
      Math.round(spread(parts.map((windows) => windows[window]?.[part] ?? 0)).median * IDLE_PARTS);
    for (const part of PARTS) {
      print({ what: `idle for a minute: ${part}`, unit: "cpu", value: spent(0, part), without: spent(1, part) });
    }
    const minute = (): Promise<void> => pause(IDLE_PARTS * IDLE_PART_MS);
    const inspector = await Inspector.open(extensionHost(with_.roots.server));
    const own = (during: () => Promise<void>): Promise<number> => inspector.ranFor(EXTENSION, during);
    print({ what: "idle for a minute: code of the extension", unit: "cpu", value: Math.round(await own(minute)), without: 0 });
    // The same look at something that costs something, or nothing would say that it sees anything.
    const answer = await own(async () => {
      await with_.ask("what is this?");
      await with_.said("A project.");
    });
    print({ what: "one short answer: code of the extension", unit: "ms", value: answer });
    inspector.close();
  } finally {
    await with_.close();
    await without.close();
  }
}

async function main(): Promise<void> {
  await ofTheView();
  await throughEverything();
  await idle();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
