// The page in a browser: what a user does with it.
import { createServer } from "node:http";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".csv": "text/csv" };

/** Serves a folder as `python3 -m http.server` does. */
function serve(folder) {
  const server = createServer((request, reply) => {
    const path = new URL(request.url, "http://x").pathname.replace(/\/$/, "/index.html");
    try {
      const bytes = readFileSync(join(folder, path));
      reply.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      reply.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

export default async function page({ test, open, serious, assert, equal, nocurl, folder, root }) {
  const site = join(folder, "site");
  rmSync(site, { recursive: true, force: true });
  nocurl("page", "--output", site, "--quiet");
  const server = await serve(site);
  const url = `http://127.0.0.1:${server.address().port}/`;
  const outside = (page) => page.watched.requests.filter((one) => !one.startsWith(url) && !one.startsWith("blob:") && !one.startsWith("about:"));

  /** The page with a table in it. */
  async function started(table, options) {
    const page = await open(url, options);
    if (table) await page.setInputFiles("#file", table);
    else await page.getByRole("button", { name: /Try an example/ }).click();
    await page.waitForSelector(".columns");
    return page;
  }
  async function learn(page) {
    await page.getByRole("button", { name: /^Learn/ }).click();
    await page.waitForSelector(".result", { timeout: 60_000 });
  }
  /** Drags by the pointer, in steps as a hand does. */
  async function drag(page, from, to) {
    await to.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const [start, end] = [await from.boundingBox(), await to.boundingBox()];
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(start.x + start.width / 2 + 8, start.y + start.height / 2, { steps: 4 });
    await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 8 });
    await page.mouse.up();
  }
  const text = (name, content) => ({ name, mimeType: "text/csv", buffer: Buffer.from(content) });
  const edges = (page) => page.$$eval(".edges tbody tr", (rows) => rows.map((row) => [row.cells[0].textContent, row.cells[2].textContent]));
  /** What a button saves. */
  async function saved(page, name) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
  }

  await test("page: the example is learnt, nothing leaves, and files and command give the same", async () => {
    const page = await started();
    const start = Date.now();
    await learn(page);
    console.log(`      Sachs with confidence: ${Date.now() - start} ms in the browser`);
    equal(page.watched.errors, []);
    equal(await page.locator(".drawing g.variable").count(), 11);
    const [name, json] = await saved(page, "Save JSON");
    equal(name, "sachs-graph.json");
    const graph = JSON.parse(json);
    assert(graph.edges.every((edge) => edge.confidence), "every edge says how sure it is");
    const [, svg] = await saved(page, "Save SVG");
    assert(svg.startsWith("<svg") && svg.includes(">raf<"), "a picture");
    const [, report] = await saved(page, "Save report");
    assert(report.includes("Content-Security-Policy"), "a report");
    const frame = page.frameLocator("iframe.report");
    await frame.locator(".node").first().waitFor();
    const command = (await page.locator(".repeat pre").textContent()).split(" --output")[0];
    equal(command, "nocurl learn sachs.csv");
    const file = join(folder, "same.json");
    nocurl("learn", join(root, "data/sachs.csv"), "--quiet", "--output", file);
    const same = JSON.parse(readFileSync(file, "utf8"));
    const ends = ({ edges }) => edges.map(({ from, to, direction }) => [from, to, direction]);
    if (!process.env.NOCURL_PAGE_OLD) equal(ends(graph), ends(same));
    equal(outside(page), []);
  });

  await test("page: knowledge by dragging, by keyboard and on the picture", async () => {
    const page = await started();
    const chip = (name) => page.locator(`.chip[data-name="${name}"]`);
    await drag(page, chip("pkc"), page.locator('.lane[data-tier="0"]'));
    await page.waitForSelector('.lane[data-tier="0"] .chip[data-name="pkc"]');
    await chip("mek").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('.lane[data-tier="1"] .chip[data-name="mek"]');
    assert(await chip("mek").evaluate((element) => element === document.activeElement), "it keeps the focus");
    await drag(page, chip("akt"), chip("erk"));
    await page.getByRole("button", { name: "akt does not act on erk" }).click();
    equal(await page.locator(".statements li").count(), 1);
    await learn(page);
    const command = await page.locator(".repeat pre").textContent();
    assert(command.includes("--forbid akt,erk --tier pkc --tier mek"), command);
    assert(!(await edges(page)).some(([from, to]) => from === "akt" && to === "erk"), "forbidden");
    const at = (await edges(page)).findIndex((pair) => !(pair.includes("akt") && pair.includes("erk")));
    const [from, to] = (await edges(page))[at];
    await page.locator(".drawing g.edge[role=button]").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".menu");
    await page.keyboard.press("Escape");
    await page.locator(".edges tbody tr button").nth(at).click();
    await page.getByRole("button", { name: "Neither acts on the other" }).click();
    await page.waitForFunction(() => document.querySelector(".repeat pre")?.textContent.match(/--forbid/g)?.length === 3 || document.querySelector(".wrong"));
    equal(await page.locator(".wrong").allTextContents(), []);
    assert(!(await edges(page)).some((pair) => pair.includes(from) && pair.includes(to)), "gone from the graph");
    equal(page.watched.errors, []);
  });

  await test("page: kinds are changed, columns left out, missing values dealt with", async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `${i},${Math.sin(i * 1.7).toFixed(3)},${i % 7 ? (Math.sin(i * 1.7) * 2 + Math.cos(i * 9)).toFixed(3) : "NA"},${"abc"[i % 3]},${(i * i) % 5}`);
    const page = await started(text("t.csv", `id,x,y,group,score\n${rows.join("\n")}\n`));
    const use = (name) => page.getByLabel(`Use ${name} as`);
    await use("score").selectOption("categorical");
    await use("id").selectOption("out");
    equal(await page.locator("#missing").inputValue(), "drop");
    await learn(page);
    const command = await page.locator(".repeat pre").textContent();
    assert(command.includes("--categorical score") && command.includes("--missing drop") && command.includes("--drop id"), command);
    equal(page.watched.errors, []);
  });

  await test("page: what messages recommend can be set", async () => {
    const random = (i, k) => (Math.sin(12.9898 * i + 78.233 * k) * 43758.5453) % 1;
    const lines = Array.from({ length: 300 }, (_, i) => `${random(i, 1).toFixed(3)},${i % 20 ? ((7 * i) % 30) / 2 : "bad"},${["low", "mid", "high"][i % 3]}`);
    const page = await open(url);
    const field = (name) => page.locator("#reading").getByLabel(name, { exact: true });
    await page.setInputFiles("#file", text("bad.csv", `x,y,size\n${lines.join("\n")}\n`));
    await page.waitForSelector(".wrong");
    const told = await page.locator(".wrong").textContent();
    assert(told.includes("“na” set to [bad]") && told.includes("“categorical” set to [y]"), told);
    assert(await field("na").isVisible(), "the settings are open");
    // By a button, and by typing what the message says.
    await page.getByRole("button", { name: "Set “na” to bad" }).click();
    await page.waitForSelector(".columns");
    equal(await field("na").inputValue(), "bad");
    equal(await page.locator("#missing").inputValue(), "drop");
    await field("na").fill("");
    await field("categorical").fill("[y]");
    await page.getByRole("button", { name: "Read the table again" }).click();
    await page.locator(".columns tbody tr", { hasText: /^y/ }).locator(".kind.categorical").waitFor();
    equal(await page.getByLabel("Use y as").inputValue(), "categorical");
    await field("categorical").fill("");
    await field("leave out").fill("y");
    await field("ordinal").fill("size=low,mid,high");
    await field("ordinal").press("Enter");
    await page.waitForSelector(".columns .kind.ordinal");
    equal(await page.getByLabel("Use y as").inputValue(), "out");
    equal(await serious(page), []);
    await page.screenshot({ path: join(folder, "page-reading.png"), fullPage: true });
    await learn(page);
    const command = await page.locator(".repeat pre").textContent();
    assert(command.includes("--drop y") && command.includes("--ordinal size=low,mid,high"), command);
    // A column that was left out comes back.
    await page.getByLabel("Use y as").selectOption("categorical");
    equal(await field("categorical").inputValue(), "y");
    // Another file starts afresh.
    await page.setInputFiles("#file", text("good.csv", "a,b\n1,2\n2,5\n3,1\n4,4\n5,9\n6,3\n"));
    await page.waitForFunction(() => document.querySelector("#columns .summary")?.textContent.includes("good.csv"));
    equal([await field("leave out").inputValue(), await field("ordinal").inputValue()], ["", ""]);
    equal(page.watched.errors, []);
  });

  await test("page: long work is stopped, and the page goes on", async () => {
    const page = await started();
    await page.locator("#method").selectOption("notears-mlp");
    await page.getByRole("button", { name: /^Learn/ }).click();
    await page.waitForSelector(".working progress");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.waitForSelector("text=Stopped. Nothing you set is lost.");
    await page.locator("#method").selectOption("order-search");
    await learn(page);
    assert((await edges(page)).length > 5, "it learns after that");
    equal(page.watched.errors, []);
  });

  await test("page: what is no table, a lost worker, too little memory", async () => {
    const page = await open(url);
    for (const [table, words] of [
      [text("empty.csv", ""), "empty"],
      [text("noise.csv", "\0\x01\x02"), "not text"],
      [text("one.csv", "a,b\n1,2\n"), "row"],
      [{ name: "x.parquet", mimeType: "", buffer: Buffer.from("PAR1 is all there is") }, "arquet"],
      [{ name: "x.csv.gz", mimeType: "", buffer: Buffer.from([0x1f, 0x8b, 8, 0, 1]) }, "gzip"],
    ]) {
      await page.setInputFiles("#file", table);
      await page.waitForFunction((name) => document.querySelector(".wrong") && !document.querySelector(".working"), table.name);
      const told = await page.locator(".wrong").textContent();
      assert(told.includes(words), table.name, told);
    }
    await page.setInputFiles("#file", text("back.csv", "a,b\n1,2\n2,5\n3,1\n4,4\n5,9\n6,3\n"));
    await page.waitForSelector(".columns");
    // A worker that dies is said and replaced.
    await page.route("**/nocurl.wasm", (route) => route.fulfill({ body: Buffer.from([0, 0x61, 0x73, 0x6d, 9, 9, 9, 9]) }));
    const lost = await open(url);
    await lost.route("**/nocurl.wasm", (route) => route.fulfill({ body: Buffer.from("no module") }));
    await lost.reload();
    await lost.waitForSelector(".wrong");
    await lost.unroute("**/nocurl.wasm");
    await lost.setInputFiles("#file", text("back.csv", "a,b\n1,2\n2,5\n3,1\n4,4\n5,9\n6,3\n"));
    await lost.waitForSelector(".columns");
    // Wide enough that its moments do not fit into a module.
    const wide = Array.from({ length: 19_900 }, (_, i) => `c${i}`).join(",");
    const row = (k) => Array.from({ length: 19_900 }, (_, i) => (i * k) % 97).join(",");
    await page.setInputFiles("#file", text("wide.csv", `${wide}\n${[3, 5, 7, 11].map(row).join("\n")}\n`));
    await page.waitForSelector(".wrong", { timeout: 60_000 });
    const told = await page.locator(".wrong").textContent();
    assert(told.includes("nocurl"), told);
  });

  await test("page: names from data are text and nothing else", async () => {
    const evil = `<img src=x onerror=alert(1)>`;
    const names = [evil, `"><script>alert(2)</script>`, "שלום עולם", "$(touch x)`id`", "n".repeat(300)];
    const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
    const rows = Array.from({ length: 200 }, (_, i) => names.map((_, k) => (k === 1 ? quoted([evil, "</script>", "b"][i % 3]) : (Math.sin(i * (k + 1)) * 3 + (k ? Math.sin(i) : 0)).toFixed(4))).join(","));
    const page = await started(text(`<b onclick=alert(3)>'$(x)'.csv`, `${names.map(quoted).join(",")}\n${rows.join("\n")}\n`));
    await learn(page);
    await page.frameLocator("iframe.report").locator("main").waitFor();
    equal(page.watched.errors, []);
    equal(await page.locator("main img, main script, main b").count(), 0);
    assert((await page.locator(".chip").allTextContents()).includes(evil), "the name as it is");
    const command = await page.locator(".repeat pre").textContent();
    assert(command.startsWith(`nocurl learn '<b onclick=alert(3)>'\\''$(x)'\\''.csv'`), command);
    equal(outside(page), []);
    const [, svg] = await saved(page, "Save SVG");
    writeFileSync(join(folder, "hostile-page.svg"), svg);
    assert(!/<img|<script/i.test(svg), "the picture has no markup of names");
  });

  await test("page: 100 MB are read without freezing", async () => {
    const page = await open(url);
    const found = await page.evaluate(async () => {
      const row = (i) => Array.from({ length: 10 }, (_, k) => (Math.sin(i * (k + 1)) * 1000).toFixed(5)).join(",");
      const block = `${Array.from({ length: 11_000 }, (_, i) => row(i)).join("\n")}\n`;
      const blob = new Blob(["a,b,c,d,e,f,g,h,i,j\n", ...Array.from({ length: Math.ceil(1e8 / block.length) }, () => block)]);
      const list = new DataTransfer();
      list.items.add(new File([blob], "large.csv"));
      const input = document.querySelector("#file");
      input.files = list.files;
      let [longest, last, frames] = [0, performance.now(), 0];
      const start = last;
      input.dispatchEvent(new Event("change"));
      while (!document.querySelector(".columns, .wrong")) {
        await new Promise((done) => setTimeout(done, 10));
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        frames++;
      }
      return { bytes: blob.size, longest, frames, seconds: (last - start) / 1000, told: document.querySelector(".summary, .wrong").textContent };
    });
    console.log(`      ${(found.bytes / 1e6).toFixed(0)} MB in ${found.seconds.toFixed(1)} s; the page was away for ${found.longest.toFixed(0)} ms at most`);
    assert(found.told.includes("rows"), found.told);
    assert(found.frames > 10, "the page went on meanwhile", found);
  });

  await test("page: five thousand variables and a graph without edges", async () => {
    const rows = Array.from({ length: 120 }, (_, i) => `${Math.sin(i * 12.9898) * 43758.5453 % 1},${Math.sin(i * 78.233) * 12345.678 % 1}`);
    const page = await started(text("none.csv", `a,b\n${rows.join("\n")}\n`));
    await learn(page);
    await page.waitForSelector("text=No edges were found");
    equal(page.watched.errors, []);
    const many = Array.from({ length: 5000 }, (_, i) => `v${i}`).join(",");
    const row = (k) => Array.from({ length: 5000 }, (_, i) => ((i * k * 7919) % 1000) / 10).join(",");
    await page.setInputFiles("#file", text("many.csv", `${many}\n${Array.from({ length: 12 }, (_, k) => row(k + 1)).join("\n")}\n`));
    await page.waitForSelector(".columns, .wrong", { timeout: 60_000 });
    await page.getByRole("button", { name: /Show all 5000 columns|^Learn/ }).first().waitFor();
  });

  await test("page: pictures in light and dark, wide and narrow, and axe", async () => {
    for (const scheme of ["light", "dark"]) {
      for (const width of [1280, 400]) {
        const page = await started(undefined, { width, scheme });
        const chip = (name) => page.locator(`.chip[data-name="${name}"]`);
        for (const name of ["pkc", "pka"]) {
          await chip(name).focus();
          await page.keyboard.press("ArrowRight");
        }
        await learn(page);
        await page.frameLocator("iframe.report").locator(".node").first().waitFor();
        await page.screenshot({ path: join(folder, `page-${width}-${scheme}.png`), fullPage: true });
        await page.locator("iframe.report").scrollIntoViewIfNeeded();
        // A frame out of sight is not painted before it comes into sight.
        const body = page.frameLocator("iframe.report").locator("body");
        await body.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go, 100)))));
        await page.screenshot({ path: join(folder, `page-report-${width}-${scheme}.png`) });
        equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "no scrolling sideways", width);
        equal(await serious(page), []);
        equal(page.watched.errors, []);
      }
    }
  });

  server.close();
}
