// A prompt with everything that one may hold, whichever client sends it, and what of it the model must get.
import assert from "node:assert/strict";

const PICTURE = "iVBORw0KGgo=";
const OTHER_PICTURE = "R0lGODlhAQABAA==";
const SOUND = "UklGRg==";

/** What lies in the workspace for it. */
export function lay(world) {
  world.write("lines.txt", "first\nsecond\nthird\n");
}

export function blocks(world) {
  const uri = (name) => `file://${world.file(name)}`;
  return [
    { type: "text", text: "look at" },
    { type: "image", mimeType: "image/png", data: PICTURE },
    { type: "audio", mimeType: "audio/wav", data: SOUND },
    { type: "resource", resource: { uri: uri("open.txt"), text: "not yet saved" } },
    { type: "resource", resource: { uri: uri("small.gif"), mimeType: "image/gif", blob: OTHER_PICTURE } },
    { type: "resource_link", name: "lines.txt", uri: `${uri("lines.txt")}#L2:3` },
    { type: "resource_link", name: "a page", uri: "https://example.com/page" },
  ];
}

/** It stands where it was put, with its bytes and texts behind it. */
export function reached(world) {
  const { contents } = JSON.parse(world.asked.at(-1)).body;
  const asked = JSON.stringify(contents);
  assert.match(asked, /look at `open\.txt` `small\.gif` @lines\.txt \(lines 2 to 3\) https:\/\/example\.com\/page/);
  for (const part of [PICTURE, OTHER_PICTURE, SOUND, "image/gif", "audio/wav", "not yet saved", "second"]) {
    assert.ok(asked.includes(part), `${part} is missing: ${asked}`);
  }
}
