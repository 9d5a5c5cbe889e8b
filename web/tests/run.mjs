// Tests in a real browser: every `*.spec.mjs` beside this file, one after the other.
// `node tests/run.mjs [words]` runs those whose names contain one of the words.
// NOCURL is the program, CHROMIUM the browser; pictures go to target/browser/.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const folder = join(root, "target/browser");
mkdirSync(folder, { recursive: true });

const BROWSERS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = BROWSERS.find((path) => path && existsSync(path));
if (!executablePath) {
  console.error("no browser was found: install chromium, or set CHROMIUM to its path");
  process.exit(1);
}
const program = process.env.NOCURL ?? join(root, "target/debug/nocurl");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** Runs the program; its standard output. */
export function nocurl(...args) {
  return execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Opens a page and watches it: what it asks the network for and what goes wrong is kept. */
async function open(url, options = {}) {
  const { width = 1280, height = 900, scheme = "light", ...more } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce", ...more });
  const page = await context.newPage();
  const watched = { requests: [], refused: [], errors: [] };
  page.on("request", (request) => watched.requests.push(request.url()));
  page.on("requestfailed", (request) => watched.refused.push(`${request.url()} ${request.failure()?.errorText}`));
  page.on("pageerror", (error) => watched.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && watched.errors.push(message.text()));
  page.on("dialog", (dialog) => {
    watched.errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url.startsWith("/") ? pathToFileURL(url).href : url);
  return Object.assign(page, { watched });
}

/** What axe finds that is serious or critical, a line each. */
async function serious(page) {
  const found = await page.evaluate(
    async ([source]) => {
      if (!window.axe) (0, Function)(source)();
      const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
      return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`) }));
    },
    [axe],
  );
  return found.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.join(" | ")}`);
}

/** Fails with a sentence. */
function assert(condition, ...words) {
  if (!condition) throw new Error(words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" "));
}

function equal(found, expected, ...words) {
  assert(JSON.stringify(found) === JSON.stringify(expected), ...words, "found", found, "expected", expected);
}

const wanted = process.argv.slice(2);
let [passed, failed] = [0, 0];
async function test(name, run) {
  if (wanted.length && !wanted.some((word) => name.includes(word))) return;
  const start = performance.now();
  try {
    await run();
    passed++;
    console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}\n      ${error.stack ?? error}`);
  } finally {
    for (const context of browser.contexts()) await context.close();
  }
}

const specs = readdirSync(here).filter((name) => name.endsWith(".spec.mjs")).sort();
for (const spec of specs) {
  const { default: run } = await import(join(here, spec));
  await run({ test, open, serious, assert, equal, nocurl, program, browser, folder, root });
}
await browser.close();
console.log(`${passed} passed, ${failed} failed; pictures in target/browser`);
process.exit(failed ? 1 : 0);
