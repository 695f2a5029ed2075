// Adds the sentences of the chat view to the bundle for translators. The exporter sees only calls with a literal,
// and the view has its sentences in one table.
import { readFileSync, writeFileSync } from "node:fs";
import * as esbuild from "esbuild";

const BUNDLE = "l10n/bundle.l10n.json";
const built = await esbuild.build({ entryPoints: ["webview/strings.ts"], bundle: true, write: false, format: "esm" });
const { ENGLISH } = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);
const bundle = JSON.parse(readFileSync(BUNDLE, "utf8"));
for (const english of Object.values(ENGLISH)) bundle[english] ??= english;
writeFileSync(BUNDLE, `${JSON.stringify(bundle, null, 2)}\n`);
