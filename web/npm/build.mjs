// Builds the package of npm around the module that the page has: `npm pack` calls it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, "nocurl.wasm"), gunzipSync(readFileSync(join(here, "../../crates/nocurl-page/asset/nocurl.wasm.gz"))));
await esbuild.build({ entryPoints: [join(here, "src/index.ts")], outfile: join(dist, "index.js"), bundle: true, format: "esm", platform: "neutral", target: "es2022", charset: "utf8", external: ["node:fs"], logLevel: "warning" });
execFileSync(process.execPath, [join(here, "../node_modules/typescript/bin/tsc"), "-p", here], { stdio: "inherit" });
