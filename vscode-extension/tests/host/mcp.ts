// A client of `pollux mcp`: a line of JSON for each message.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { end, required, start } from "../e2e/processes";

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

interface ToolResult {
  isError?: boolean;
  content: { text?: string }[];
  structuredContent?: unknown;
}

export class McpClient {
  #last = 0;
  readonly #waiting = new Map<number, (answer: Answer) => void>();

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const answer = JSON.parse(line) as Answer;
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  static async start(folder: string): Promise<McpClient> {
    const environment = process.env as Record<string, string>;
    const client = new McpClient(start(required("POLLUX_BINARY"), ["mcp"], { cwd: folder, env: environment }));
    const clientInfo = { name: "host tests", version: "1" };
    await client.#request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    client.#write({ method: "notifications/initialized" });
    return client;
  }

  /** What a tool answers; its words where it cannot. */
  async call<T>(name: string, args: object): Promise<T> {
    const result = (await this.#request("tools/call", { name, arguments: args })) as ToolResult;
    if (result.isError === true) throw new Error(result.content[0]?.text ?? "it says nothing");
    return result.structuredContent as T;
  }

  close(): Promise<void> {
    return end(this.child);
  }

  async #request(method: string, params: object): Promise<unknown> {
    const id = ++this.#last;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#write({ id, method, params });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  #write(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
