// Two bundles, one per world: the extension host (Node) and the chat view (a browser frame).
// `--tests` bundles the tests instead, so that node's own runner can read them.
import { cpSync, readdirSync, renameSync, rmSync } from "node:fs";
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

// One bundle for all tests of a kind: how node's runner finds files differs from version to version.
function tests(folder, suffix) {
  const found = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(suffix));
  return {
    ...shared,
    stdin: {
      contents: found.map((file) => `import "./${folder}/${file.replaceAll("\\", "/")}";`).join("\n"),
      resolveDir: ".",
    },
    outfile: `dist/${folder}.test.js`,
    platform: "node",
    format: "cjs",
    sourcemap: "inline",
    external: ["playwright-core"],
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

// Programs without a runner of tests: what starts a workbench for the extension host, what stands in for the server,
// what the host loads, and what measures.
function programs() {
  return {
    ...shared,
    entryPoints: {
      host: "tests/host/runner.ts",
      figures: "tests/figures/main.ts",
      "host/recorder": "tests/host/recorder.ts",
      "host/inside": "tests/host/inside/index.ts",
    },
    outdir: "dist/tests",
    platform: "node",
    format: "cjs",
    sourcemap: "inline",
    external: ["playwright-core", "vscode"],
  };
}

// The project that the walkthrough opens is the one that `pollux demo` plays on.
function copySample() {
  rmSync("dist/sample", { recursive: true, force: true });
  const isSample = (file) => !file.endsWith("tests.rs");
  cpSync("../server/pollux/src/demo/sample", "dist/sample", { recursive: true, filter: isSample });
  renameSync("dist/sample/Cargo.toml.in", "dist/sample/Cargo.toml");
}

const isTests = wanted.has("--tests");
const builds = isTests
  ? [tests("tests/unit", ".test.ts"), tests("tests/e2e", ".e2e.ts"), viewTests(), programs()]
  : [host, webview];
if (wanted.has("--watch")) {
  for (const options of builds) await (await esbuild.context(options)).watch();
} else {
  if (!isTests) copySample();
  await Promise.all(builds.map((options) => esbuild.build(options)));
}
