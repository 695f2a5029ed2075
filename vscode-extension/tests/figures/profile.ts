// What the extension's own code costs in an extension host, as V8 sees it. The processor time of the whole process swings by more
// than an idle extension may cost, whatever is installed there.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Microseconds between two looks of the profiler. */
const LOOK_EVERY = 200;
const PATIENCE_MS = 10_000;

interface Node {
  id: number;
  callFrame: { url: string };
  children?: number[];
}

interface Profile {
  nodes: Node[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

/** All that the code of the folder did, and all that was done for it. */
export function spentIn({ nodes, samples, timeDeltas }: Profile, folder: string): number {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ours = new Set<number>();
  const mark = (id: number): void => {
    ours.add(id);
    for (const child of byId.get(id)?.children ?? []) mark(child);
  };
  for (const node of nodes) if (node.callFrame.url.includes(`/${folder}`)) mark(node.id);
  const microseconds = samples.reduce((sum, sample, place) => sum + (ours.has(sample) ? (timeDeltas[place] ?? 0) : 0), 0);
  return microseconds / 1000;
}

/** A conversation with the inspector of a process of node. */
export class Inspector {
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #last = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const { id, result } = JSON.parse(data) as { id?: number; result?: unknown };
      if (id !== undefined) this.#waiting.get(id)?.(result);
    };
  }

  static async open(pid: number): Promise<Inspector> {
    const before = ports(pid);
    // Whoever gets it opens its inspector.
    process.kill(pid, "SIGUSR1");
    const port = await until(() => ports(pid).find((port) => !before.includes(port)));
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "");
    await new Promise<void>((opened, failed) => {
      socket.onopen = () => opened();
      socket.onerror = () => failed(new Error("the inspector of the extension host does not answer"));
    });
    return new Inspector(socket);
  }

  /** Milliseconds that code from a folder of this name has run while this went on. */
  async ranFor(folder: string, during: () => Promise<void>): Promise<number> {
    await this.#ask("Profiler.enable");
    await this.#ask("Profiler.setSamplingInterval", { interval: LOOK_EVERY });
    await this.#ask("Profiler.start");
    await during();
    const { profile } = (await this.#ask("Profiler.stop")) as { profile: Profile };
    return spentIn(profile, folder);
  }

  #ask(method: string, params: object = {}): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.socket.close();
  }
}

async function until<T>(look: () => T | undefined): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the extension host has not opened its inspector");
}

/** The ports on which a process listens. */
function ports(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((file) => {
      try {
        return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${file}`))?.[1]];
      } catch {
        // It was closed in this moment.
        return [];
      }
    }),
  );
  const LISTENS = "0A";
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  return lines.flatMap((line) => {
    const [, local, , state, , , , , , socket] = line.trim().split(/\s+/);
    return state === LISTENS && sockets.has(socket) ? [Number.parseInt(local?.split(":")[1] ?? "", 16)] : [];
  });
}
