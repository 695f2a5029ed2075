// Two bundles, one per world: the extension host (Node) and the chat view (a browser frame).
// `--tests` bundles the unit tests instead, so that node's own runner can read them.
import { cpSync, readdirSync, renameSync } from "node:fs";
import * as esbuild from "esbuild";

const wanted = new Set(process.argv.slice(2));
const production = wanted.has("--production");

const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  target: "es2023",
};

const host = {
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  format: "cjs",
  external: ["vscode"],
};

const webview = {
  ...shared,
  entryPoints: { webview: "webview/main.ts" },
  outdir: "dist",
  platform: "browser",
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file", ".svg": "dataurl" },
};

// One bundle for all unit tests: how node's runner finds files differs from version to version.
function tests() {
  const found = readdirSync("tests/unit", { recursive: true }).filter((file) => file.endsWith(".test.ts"));
  return {
    ...shared,
    stdin: {
      contents: found.map((file) => `import "./tests/unit/${file.replaceAll("\\", "/")}";`).join("\n"),
      resolveDir: ".",
    },
    outfile: "dist/tests/unit.test.js",
    platform: "node",
    format: "cjs",
    sourcemap: "inline",
  };
}

// The chat view in a browser: a bundle per file, because each starts a browser of its own.
function viewTests() {
  const found = readdirSync("tests/view").filter((file) => file.endsWith(".test.ts"));
  return {
    ...shared,
    entryPoints: found.map((file) => `tests/view/${file}`),
    outdir: "dist/tests/view",
    platform: "node",
    format: "cjs",
    packages: "external",
    sourcemap: "inline",
  };
}

// The project that the walkthrough opens is the one that `pollux demo` plays on.
function copySample() {
  cpSync("../server/pollux/src/demo/sample", "dist/sample", { recursive: true });
  renameSync("dist/sample/Cargo.toml.in", "dist/sample/Cargo.toml");
}

const builds = wanted.has("--tests") ? [tests(), viewTests()] : [host, webview];
if (wanted.has("--watch")) {
  for (const options of builds) await (await esbuild.context(options)).watch();
} else {
  if (!wanted.has("--tests")) copySample();
  await Promise.all(builds.map((options) => esbuild.build(options)));
}
