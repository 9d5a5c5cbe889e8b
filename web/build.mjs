// Builds what Rust crates carry inside: `npm run build`. `node build.mjs --check` says whether the
// files that are kept are those of their sources.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const asset = join(here, "../crates/nocurl-report/asset");

/** FNV-1a of the names and contents of files; `crates/nocurl-report/tests/asset.rs` does the same. */
function digest(files) {
  let hash = 0xcbf29ce484222325n;
  for (const file of files) {
    const bytes = Buffer.concat([Buffer.from(relative(here, file).replaceAll("\\", "/")), readFileSync(file)]);
    for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, "0");
}

async function built(entry) {
  const found = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  return found.outputFiles[0].text.trim();
}

const folder = join(here, "report/src");
const sources = [...readdirSync(folder).filter((name) => name.endsWith(".ts")).sort().map((name) => join(folder, name)), join(here, "report/style.css")];
const hash = digest(sources);
const script = `/* sources ${hash} */${await built(join(folder, "main.ts"))}`;
const style = await built(join(here, "report/style.css"));
const policy = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
// A closing tag inside would end the element that the text stands in.
for (const [name, text] of [["script", script], ["style", style]]) {
  if (new RegExp(`</${name}`, "i").test(text)) throw new Error(`the ${name} of the report has a closing tag`);
}
const files = { "report.js": script, "report.css": style, "report.js.sha256": policy(script), "report.css.sha256": policy(style) };
let stale = false;
for (const [name, text] of Object.entries(files)) {
  const path = join(asset, name);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${relative(join(here, ".."), path)} is not what its sources give: run \`npm run build\` in web/`);
    stale = true;
  }
}
if (stale) process.exit(1);
console.log(`report: ${Math.round(script.length / 1024)} KB of script, ${Math.round(style.length / 1024)} KB of style`);
