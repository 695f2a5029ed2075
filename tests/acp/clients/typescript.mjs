// A client made of the official TypeScript library.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import assert from "node:assert/strict";
import { load } from "./packages.mjs";

const { client: clientApp, methods, ndJsonStream, PROTOCOL_VERSION } = await load("@agentclientprotocol/sdk");

export class Client {
  /** Everything that was told, oldest first. */
  updates = [];
  #questions = [];
  #waiting = [];
  #child;
  #connection;

  /** With what it offers: files, terminals, and somebody who fills in forms. */
  static async start(world, { capabilities = {}, files, terminals, form } = {}) {
    const client = new Client();
    const [program, ...words] = world.agent();
    client.#child = spawn(program, words, {
      cwd: world.work,
      env: world.environment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const app = clientApp({ name: "typescript" })
      .onNotification(methods.client.session.update, ({ params }) => {
        client.updates.push(params.update);
        client.#look();
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => client.#ask(params));
    if (files) {
      app
        .onRequest(methods.client.fs.readTextFile, ({ params }) => files.read(params))
        .onRequest(methods.client.fs.writeTextFile, ({ params }) => files.write(params));
    }
    if (terminals) {
      const { create, output, waitForExit, kill, release } = methods.client.terminal;
      app
        .onRequest(create, ({ params }) => terminals.create(params))
        .onRequest(output, ({ params }) => terminals.output(params))
        .onRequest(waitForExit, ({ params }) => terminals.waitForExit(params))
        .onRequest(kill, ({ params }) => terminals.kill(params))
        .onRequest(release, ({ params }) => terminals.release(params));
    }
    if (form) {
      app.onRequest(methods.client.elicitation.create, ({ params }) => form(params));
    }
    const stream = ndJsonStream(Writable.toWeb(client.#child.stdin), Readable.toWeb(client.#child.stdout));
    client.#connection = app.connect(stream);
    client.initialized = await client.ask(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: "typescript", version: "1" },
      clientCapabilities: {
        ...capabilities,
        fs: { readTextFile: Boolean(files), writeTextFile: Boolean(files) },
        terminal: Boolean(terminals),
        ...(form && { elicitation: { form: {} } }),
      },
    });
    return client;
  }

  ask(method, params) {
    return this.#connection.agent.request(method, params);
  }

  /** A new session in the workspace. */
  open(world) {
    return this.ask(methods.agent.session.new, { cwd: world.work, mcpServers: [] });
  }

  /** Ends with the turn. */
  async prompt(sessionId, ...blocks) {
    const prompt = blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block));
    const { stopReason } = await this.ask(methods.agent.session.prompt, { sessionId, prompt });
    return stopReason;
  }

  cancel(sessionId) {
    return this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** The first update that is wanted, be it told already or not. */
  update(kind, wanted = () => true) {
    return this.#until(() => this.updates.find((update) => update.sessionUpdate === kind && wanted(update)));
  }

  /** The next question, which waits until it is answered by a kind of option. */
  async question() {
    return this.#until(() => this.#questions.shift());
  }

  /** The text of all chunks of this kind. */
  text(kind = "agent_message_chunk") {
    const chunks = this.updates.filter((update) => update.sessionUpdate === kind);
    return chunks.map((chunk) => chunk.content.text).join("");
  }

  /** Closes its end, and sees the agent end. */
  async close() {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, "close");
      this.#child.stdin.end();
      await ended;
    }
    assert.equal(this.#child.exitCode, 0);
  }

  #ask(params) {
    return new Promise((resolve) => {
      const answer = (kind) => {
        const option = params.options.find((option) => option.kind === kind);
        assert.ok(option, `no option of the kind ${kind}: ${JSON.stringify(params.options)}`);
        resolve({ outcome: { outcome: "selected", optionId: option.optionId } });
      };
      this.#questions.push({ ...params, answer });
      this.#look();
    });
  }

  #until(look) {
    return new Promise((resolve) => {
      this.#waiting.push({ look, resolve });
      this.#look();
    });
  }

  #look() {
    this.#waiting = this.#waiting.filter(({ look, resolve }) => {
      const found = look();
      if (found) {
        resolve(found);
      }
      return !found;
    });
  }
}

export { methods };
