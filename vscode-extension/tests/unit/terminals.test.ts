// What terminals are told, and when they are told that it holds no longer.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Params } from "../../src/protocol";
import type { Server, ServerState } from "../../src/server/server";
import { isSilentContainer, tellTerminals } from "../../src/server/terminals";

function stage(silentContainer = false) {
  let heard: ((params: Params<"pollux/companion">) => void) | undefined;
  let changed: ((state: ServerState) => void) | undefined;
  const set = new Map<string, string>();
  const environment = {
    persistent: true,
    clear: () => set.clear(),
    replace: (name: string, value: string) => void set.set(name, value),
  };
  const gone = { dispose: () => undefined };
  const server = {
    on: (_method: string, listener: typeof heard) => ((heard = listener), gone),
    onDidChangeState: (listener: typeof changed) => ((changed = listener), gone),
  } as unknown as Server;
  const telling = tellTerminals(server, environment, silentContainer);
  return {
    environment,
    set,
    telling,
    hear: (params: Params<"pollux/companion">) => heard?.(params),
    become: (state: ServerState) => changed?.(state),
  };
}

const companion = { port: 4000, workspacePath: "/one:/two", authToken: "secret" };

test("terminals are told where the room is", () => {
  const { environment, set, hear } = stage();
  assert.equal(environment.persistent, false);
  hear({ companion });
  assert.deepEqual(Object.fromEntries(set), {
    GEMINI_CLI_IDE_SERVER_PORT: "4000",
    GEMINI_CLI_IDE_WORKSPACE_PATH: "/one:/two",
    GEMINI_CLI_IDE_AUTH_TOKEN: "secret",
  });
});

test("and that it is not there any more", () => {
  const { set, hear, become, telling } = stage();
  for (const end of [() => hear({ companion: null }), () => become({ kind: "starting" }), () => void telling.dispose()]) {
    hear({ companion });
    assert.equal(set.size, 3);
    end();
    assert.equal(set.size, 0);
  }
});

test("in a container that does not say so, an agent is told that the editor is in there too", () => {
  const { set, hear } = stage(true);
  hear({ companion });
  assert.equal(set.get("REMOTE_CONTAINERS"), "1");
  const docker = (file: string): boolean => file === "/.dockerenv";
  assert.ok(isSilentContainer(docker, {}));
  assert.ok(isSilentContainer((file) => file === "/run/.containerenv", { SSH_CONNECTION: "" }));
  assert.ok(!isSilentContainer(() => false, {}));
  for (const name of ["SSH_CONNECTION", "REMOTE_CONTAINERS", "VSCODE_REMOTE_CONTAINERS_SESSION"]) {
    assert.ok(!isSilentContainer(docker, { [name]: "x" }), name);
  }
});
