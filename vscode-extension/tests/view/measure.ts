// What is measured of the chat view. A test looks at what must hold; `cargo xtask bench vscode` prints the figures.
import type { ChatEvent } from "../../src/chat/messages";
import { call, done, SESSION } from "./scenes";
import type { Harness, View } from "./view";

export interface Spread {
  median: number;
  p95: number;
  worst: number;
}

const START: ChatEvent = { kind: "turnStarted", turn: 1, prompt: "write", model: "demo" };

/** A view in which a turn has just begun. */
export async function begun(harness: Harness): Promise<View> {
  const view = await harness.open();
  await view.say({ kind: "session", session: SESSION }, { kind: "events", session: SESSION, events: [START], replay: false });
  return view;
}

/** So many finished turns, each of two messages. */
export function turns(count: number): ChatEvent[] {
  return Array.from({ length: count }, (_, place): ChatEvent[] => [
    { kind: "turnStarted", turn: place + 1, prompt: `question ${place}`, model: "demo" },
    call(`${place}`, `Read file ${place}`, "read"),
    done(`${place}`, 3, "text\n", 1),
    { kind: "text", text: `Answer **${place}**.\n\nIt has two paragraphs, some \`code\` and a list:\n\n- one\n- two\n\n\`\`\`rust\nfn f${place}() {}\n\`\`\`\n` },
    { kind: "turnEnded", turn: place + 1, outcome: "completed", message: "" },
  ]).flat();
}

export async function showing(harness: Harness, count: number): Promise<View> {
  const view = await harness.open();
  await view.say({ kind: "session", session: SESSION }, { kind: "events", session: SESSION, events: turns(count), replay: true });
  return view;
}

export interface Stream {
  /** How long a frame took, in milliseconds, each with ten chunks. */
  frames: number[];
  drawings: number;
  /** How often the view was not at its end. */
  offEnd: number;
  nodes: number;
}

export function streamChunks(view: View): Promise<Stream> {
  return view.page.evaluate(async (session) => {
    const words = ["The ", "retry ", "counter ", "is ", "**reset** ", "inside ", "`loop` ", "and ", "so ", "on. "];
    const say = (text: string): void => {
      window.dispatchEvent(new MessageEvent("message", { data: { kind: "events", session, events: [{ kind: "text", text }], replay: false } }));
    };
    let drawings = 0;
    const observer = new MutationObserver(() => (drawings += 1));
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    const frames: number[] = [];
    let offEnd = 0;
    let last = performance.now();
    for (let sent = 0; sent < 5_000; ) {
      for (let more = 0; more < 10; more += 1, sent += 1) {
        const ending = sent % 120 === 119 ? "\n\n" : sent % 600 === 300 ? "\n\n```rust\nfn main() {\n    let x = 1;\n}\n```\n\n" : "";
        say((words[sent % words.length] ?? "") + ending);
      }
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      const now = performance.now();
      frames.push(now - last);
      last = now;
      const scroller = document.querySelector(".scroller");
      if (scroller && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight > 1) offEnd += 1;
    }
    return { frames, drawings, offEnd, nodes: document.querySelectorAll("*").length };
  }, SESSION);
}

/** From a message to its words on the page, a hundred times, in milliseconds. */
export function paintTimes(view: View): Promise<number[]> {
  return view.page.evaluate(async (session) => {
    const all: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      const word = `word${round} `;
      const sent = performance.now();
      window.dispatchEvent(new MessageEvent("message", { data: { kind: "events", session, events: [{ kind: "text", text: word }], replay: false } }));
      do await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      while (!document.querySelector(".rows")?.textContent.includes(word.trim()));
      all.push(performance.now() - sent);
    }
    return all;
  }, SESSION);
}

/** In bytes, after everything that is not needed any more was thrown away. */
export function heap(view: View): Promise<number> {
  return view.page.evaluate(() => {
    const collected = globalThis as { gc?: () => void };
    collected.gc?.();
    return (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize;
  });
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { median: at(0.5), p95: at(0.95), worst: at(1) };
}
