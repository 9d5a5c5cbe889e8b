// Builds the page around the module: `cargo xtask page` calls it.
// `node page/build.mjs MODULE` takes the module from that file; without it the kept one stays.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync, constants } from "node:zlib";
import esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const asset = join(root, "crates/nocurl-page/asset");
mkdirSync(asset, { recursive: true });

const packed = (bytes) => gzipSync(bytes, { level: 9, memLevel: constants.Z_MAX_MEMLEVEL });
const [module] = process.argv.slice(2);
if (module) {
  const bytes = packed(readFileSync(module));
  writeFileSync(join(asset, "nocurl.wasm.gz"), bytes);
  console.log(`module: ${statSync(module).size} bytes, ${bytes.length} packed`);
}
writeFileSync(join(asset, "sachs.csv.gz"), packed(readFileSync(join(root, "data/sachs.csv"))));

const bundle = (entry, more = {}) =>
  esbuild.build({ entryPoints: [join(here, entry)], bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning", ...more });
await bundle("src/main.ts", { outfile: join(asset, "page.js"), format: "iife" });
await bundle("src/worker.ts", { outfile: join(asset, "worker.js"), format: "iife" });
await bundle("style.css", { outfile: join(asset, "page.css") });
copyFileSync(join(here, "icon.svg"), join(asset, "icon.svg"));

// The report is shown in a frame, which obeys the policy of the page too: its script and its style
// are named by what they are.
const report = join(root, "crates/nocurl-report/asset");
const hash = (name) => {
  const path = join(report, name);
  return existsSync(path) ? ` 'sha256-${createHash("sha256").update(readFileSync(path)).digest("base64")}'` : "";
};
const policy = [
  "default-src 'none'",
  `script-src 'self' 'wasm-unsafe-eval'${hash("report.js")}`,
  `style-src 'self'${hash("report.css")}`,
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");
writeFileSync(join(asset, "index.html"), readFileSync(join(here, "index.html"), "utf8").replace("POLICY", policy));
