// What holds for all traffic, whoever the client is: every message is one of the published schema, and they come in an
// order that a client can make sense of.
import { readFileSync } from "node:fs";
import { installed, load } from "./packages.mjs";

const { default: Ajv } = await load("ajv/dist/2020.js");

const schema = JSON.parse(readFileSync(installed("node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"), "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(schema, "acp");

const OTHER = { client: "agent", agent: "client" };

/** By who takes it, its kind and its method, such as `agent Request session/prompt`. */
const checks = new Map();
for (const [name, definition] of Object.entries(schema.$defs)) {
  const kind = /(Request|Response|Notification)$/.exec(name)?.[1];
  const method = definition["x-method"];
  if (!method || !kind) {
    continue;
  }
  const check = ajv.getSchema(`acp#/$defs/${name}`);
  const sides = definition["x-side"] === "protocol" ? ["agent", "client"] : [definition["x-side"]];
  for (const side of sides) {
    checks.set(`${side} ${kind} ${method}`, check);
  }
}

/** These tell of the session itself, and may come when nothing is asked. */
const AT_ANY_TIME = new Set([
  "available_commands_update",
  "config_option_update",
  "current_mode_update",
  "session_info_update",
]);
const ENDED = new Set(["completed", "failed"]);

export class Rules {
  /** What is wrong, as `who: what`. */
  faults = [];
  /** How many messages were heard. */
  count = 0;
  #pending = { client: new Map(), agent: new Map() };
  #sessions = new Map();
  #terminals = new Set();

  /** One line that somebody has sent. */
  hear(from, line) {
    this.count += 1;
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.#fault(from, `no JSON: ${line.slice(0, 200)}`);
      return;
    }
    if (message.jsonrpc !== "2.0") {
      this.#fault(from, `not of JSON-RPC 2.0: ${line.slice(0, 200)}`);
    }
    if (typeof message.method !== "string") {
      this.#answered(from, message);
    } else if ("id" in message) {
      this.#asked(from, message);
    } else {
      this.#told(from, message);
    }
  }

  /** Nobody says anything any more. */
  close() {
    for (const [side, pending] of Object.entries(this.#pending)) {
      for (const { method } of pending.values()) {
        this.#fault(OTHER[side], `never answered ${method}`);
      }
    }
    for (const terminal of this.#terminals) {
      this.#fault("agent", `never released the terminal ${terminal}`);
    }
  }

  #asked(from, message) {
    const { id, method, params } = message;
    this.#check(from, `${OTHER[from]} Request ${method}`, params);
    if (this.#pending[from].has(id)) {
      this.#fault(from, `asks ${method} by the id ${id}, which is taken`);
    }
    this.#pending[from].set(id, { method, params });
    if (method === "session/load" || method === "session/resume") {
      this.#session(params.sessionId).asked += 1;
    } else if (method === "session/prompt") {
      this.#session(params.sessionId).asked += 1;
    } else if (method === "session/request_permission") {
      const call = params.toolCall?.toolCallId;
      const known = this.#sessions.get(params.sessionId)?.calls.get(call);
      if (!known) {
        this.#fault(from, `asks about the call ${call} before it is announced`);
      } else if (ENDED.has(known.status)) {
        this.#fault(from, `asks about the call ${call}, which has ended`);
      }
    }
  }

  #answered(from, message) {
    const asked = this.#pending[OTHER[from]].get(message.id);
    if (!asked) {
      this.#fault(from, `answers ${JSON.stringify(message.id)}, which nobody asks`);
      return;
    }
    this.#pending[OTHER[from]].delete(message.id);
    if ("error" in message) {
      const { code, message: words } = message.error ?? {};
      if (!Number.isInteger(code) || typeof words !== "string" || "result" in message) {
        this.#fault(from, `answers ${asked.method} by something that is no error: ${JSON.stringify(message)}`);
      }
    } else {
      this.#check(from, `${from} Response ${asked.method}`, message.result);
    }
    if (asked.method === "terminal/create" && message.result) {
      this.#terminals.add(message.result.terminalId);
    } else if (asked.method === "terminal/release") {
      this.#terminals.delete(asked.params.terminalId);
    } else if (asked.method === "session/new" && message.result) {
      this.#session(message.result.sessionId);
    } else if (["session/load", "session/resume", "session/prompt"].includes(asked.method)) {
      this.#ended(from, asked);
    }
  }

  /** A turn or a replay is over. */
  #ended(from, { method, params }) {
    const session = this.#session(params.sessionId);
    session.asked -= 1;
    for (const [id, call] of session.calls) {
      if (session.asked === 0 && !ENDED.has(call.status)) {
        this.#fault(from, `answers ${method} while the call ${id} is ${call.status}`);
      }
    }
  }

  #told(from, { method, params }) {
    this.#check(from, `${OTHER[from]} Notification ${method}`, params);
    if (method !== "session/update") {
      return;
    }
    const { update } = params;
    const kind = update?.sessionUpdate;
    const session = this.#sessions.get(params.sessionId);
    if (!session) {
      this.#fault(from, `tells ${kind} of the session ${params.sessionId}, which nobody has opened`);
      return;
    }
    if (session.asked === 0 && !AT_ANY_TIME.has(kind)) {
      this.#fault(from, `tells ${kind} when nothing is asked: ${JSON.stringify(update).slice(0, 200)}`);
    }
    if (kind === "tool_call") {
      if (session.calls.has(update.toolCallId)) {
        this.#fault(from, `announces the call ${update.toolCallId} twice`);
      }
      session.calls.set(update.toolCallId, { status: update.status ?? "pending" });
    } else if (kind === "tool_call_update") {
      const call = session.calls.get(update.toolCallId);
      if (!call) {
        this.#fault(from, `tells of the call ${update.toolCallId}, which was never announced`);
      } else if (ENDED.has(call.status) && update.status && update.status !== call.status) {
        this.#fault(from, `makes the call ${update.toolCallId} ${update.status}, which was ${call.status}`);
      } else {
        call.status = update.status ?? call.status;
      }
    }
  }

  #session(id) {
    if (!this.#sessions.has(id)) {
      this.#sessions.set(id, { asked: 0, calls: new Map() });
    }
    return this.#sessions.get(id);
  }

  #check(from, key, value) {
    const check = checks.get(key);
    const method = key.split(" ")[2];
    if (!check) {
      // Names of extensions begin so, and nothing is known of them.
      if (!method.startsWith("_")) {
        this.#fault(from, `a ${key.split(" ")[1].toLowerCase()} that the schema does not know: ${method}`);
      }
    } else if (!check(value ?? {})) {
      this.#fault(from, `${key}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value)?.slice(0, 400)}`);
    }
  }

  #fault(who, what) {
    this.faults.push(`${who}: ${what}`);
  }
}

/** What is wrong with the traffic that a recorder wrote down. */
export function judge(file) {
  const rules = new Rules();
  for (const entry of readFileSync(file, "utf8").split("\n")) {
    if (entry) {
      const { from, line } = JSON.parse(entry);
      rules.hear(from, line);
    }
  }
  rules.close();
  return rules;
}
