// What is installed in the cache folder: nothing of it lies in the tree.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A variable that `cargo xtask test` sets. */
export function required(name) {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: these tests are run by \`cargo xtask test\``);
  }
  return value;
}

const folder = required("POLLUX_ACP_CLIENTS");
const find = createRequire(join(folder, "package.json"));

export function load(name) {
  return import(pathToFileURL(find.resolve(name)).href);
}

export function installed(path) {
  return join(folder, path);
}
