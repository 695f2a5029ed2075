import assert from "node:assert/strict";
import { test } from "node:test";
import { findBinary } from "../../src/server/binary";

const search = { chosen: "", extensionFolder: "/ext", path: "/one:/two", platform: "linux" as const };

test("the program that came with the extension wins over the PATH", () => {
  const found = findBinary(search, (file) => file === "/ext/bin/pollux" || file === "/two/pollux");
  assert.deepEqual(found, { kind: "found", file: "/ext/bin/pollux" });
});

test("the PATH is searched in its order", () => {
  const found = findBinary(search, (file) => file === "/two/pollux");
  assert.deepEqual(found, { kind: "found", file: "/two/pollux" });
});

test("a chosen program that is missing is not replaced by another one", () => {
  const found = findBinary({ ...search, chosen: "/mine/pollux" }, (file) => file === "/ext/bin/pollux");
  assert.deepEqual(found, { kind: "missing", searched: ["/mine/pollux"] });
});

test("a relative path is no program: it would depend on the folder the editor was started in", () => {
  const found = findBinary({ ...search, chosen: "./pollux" }, () => true);
  assert.equal(found.kind, "missing");
});
