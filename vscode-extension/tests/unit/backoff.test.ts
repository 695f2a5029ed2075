import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../src/server/backoff";

test("waits longer each time and then gives up", () => {
  const backoff = new Backoff(() => 0);
  const tries = Array.from({ length: 7 }, () => backoff.ended());
  assert.deepEqual(
    tries.map((next) => (next.kind === "wait" ? next.delayMs : next.kind)),
    [100, 300, 900, 2700, 8100, 10_000, "giveUp"],
  );
});

test("a server that ran for a minute is tried like a new one", () => {
  let now = 0;
  const backoff = new Backoff(() => now);
  backoff.ended();
  backoff.ended();
  backoff.started();
  now += 60_000;
  assert.deepEqual(backoff.ended(), { kind: "wait", delayMs: 100 });
});
