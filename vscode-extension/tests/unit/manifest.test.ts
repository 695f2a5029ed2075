import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Manifest {
  contributes: { configuration: { properties: Record<string, { scope: string }> }[] };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

test("a folder that is not trusted decides neither what is started nor what is told to whom", () => {
  const { contributes, capabilities } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const settings = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  const wanted = settings.filter((name) => /^pollux\.(server\.|companion\.|context\.|review\.mode$)/.test(name));
  assert.deepEqual([...capabilities.untrustedWorkspaces.restrictedConfigurations].sort(), wanted.sort());
});

test("what makes the agent ask less is set for a machine, and by no folder", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const [settings] = contributes.configuration;
  assert.deepEqual(["pollux.server.path", "pollux.review.mode"].map((name) => settings?.properties[name]?.scope), ["machine", "machine"]);
});
