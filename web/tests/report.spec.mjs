// The report in a browser: what a reader does with it.
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostile, levels, numbers } from "./tables.mjs";

export default async function report({ test, open: plain, serious, assert, equal, nocurl, folder, root }) {
  const file = (name) => join(folder, name);
  /** Opens a report and waits until all of it is there. */
  const open = async (...args) => {
    const page = await plain(...args);
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    return page;
  };
  const learn = (table, name, ...more) => nocurl("learn", table, "--quiet", "--output", file(name), ...more);
  learn(join(root, "data/sachs.csv"), "sachs.html", "--output", file("sachs.json"));
  const sachs = (options) => open(file("sachs.html"), options);
  const chosen = (page) => page.locator(".panel h3").first().textContent();
  const node = (page, name) => page.locator(`.node .shape[aria-label^="${name},"]`);

  await test("report: it stands alone, and asks for nothing", async () => {
    const page = await sachs();
    equal(page.watched.errors, []);
    equal(page.watched.requests.length, 1);
    equal(await page.locator(".node").count(), 11);
    assert((await page.locator("h1").textContent()) === "sachs.csv");
    assert((await page.locator(".variables .histogram").count()) === 11, "a histogram each");
    // The policy holds: what would be a way out is refused.
    const refused = await page.evaluate(async () => {
      const image = new Image();
      const lost = new Promise((done) => ((image.onerror = () => done(true)), (image.onload = () => done(false))));
      image.src = "https://example.org/x.png";
      return lost;
    });
    assert(refused, "an image from outside is refused");
    equal(page.watched.refused, ["https://example.org/x.png csp"]);
  });

  await test("report: hover and choose edges and variables", async () => {
    const page = await sachs();
    await page.locator(".edge .hit").first().dispatchEvent("pointerenter", { pointerType: "mouse", clientX: 300, clientY: 300 });
    const tip = await page.locator(".tip").textContent();
    for (const word of ["weight", "strength", "confidence of the edge", "confidence of the direction", " to "]) assert(tip.includes(word), word, tip);
    await node(page, "erk").click();
    equal(await chosen(page), "erk");
    const panel = await page.locator(".panel").textContent();
    for (const word of ["Parents", "Children", "Markov blanket", "fit to 300 rows", "weight of the edge"]) assert(panel.includes(word), word);
    assert((await page.locator(".panel .scatter .trend.fit").count()) >= 3, "fitted lines");
    assert((await page.locator(".panel .scatter .trend.own").count()) >= 3, "weights as lines");
    await page.getByRole("button", { name: "Hide all others" }).click();
    assert((await page.locator(".node.gone").count()) > 0, "others are hidden");
    await page.getByRole("button", { name: "Hide all others" }).click();
    await page.locator(".panel .chip").first().click();
    assert((await chosen(page)) !== "erk", "a chip leads on");
    await page.locator("table.edges .link").first().click();
    assert((await chosen(page)).includes(" → ") || (await chosen(page)).includes(" — "), "an edge of the table is chosen");
  });

  await test("report: confidence, consensus, zoom, pan and drag", async () => {
    const page = await sachs();
    const visible = () => page.locator(".edge:not(.gone) .hit").count();
    const all = await visible();
    await page.getByLabel("Confidence at least").fill("95");
    const sure = await visible();
    assert(sure < all && sure > 0, all, sure);
    equal(await page.locator("table.edges tbody tr").count(), sure);
    await page.getByLabel("Confidence at least").fill("0");
    await page.getByText("Consensus", { exact: true }).click();
    assert((await page.locator(".panel h3").first().textContent()) === "Consensus");
    assert((await visible()) > 0, "the consensus has edges");
    await page.getByText("Best graph", { exact: true }).first().click();
    equal(await visible(), all);
    const place = () => page.locator("svg.graph > g").getAttribute("transform");
    const before = await place();
    await page.getByRole("button", { name: "Zoom in" }).click();
    assert((await place()) !== before, "it zooms");
    const box = await page.locator("svg.graph").boundingBox();
    await page.keyboard.down("Control");
    await page.mouse.move(box.x + 200, box.y + 200);
    const zoomed = await place();
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    assert((await place()) !== zoomed, "it zooms with the wheel");
    const still = await place();
    await page.mouse.move(box.x + 8, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + 60, { steps: 4 });
    await page.mouse.up();
    assert((await place()) !== still, "it moves");
    await page.getByRole("button", { name: "Show all" }).click();
    const raf = node(page, "raf");
    const line = page.locator(".edge .line");
    const lines = await line.evaluateAll((all) => all.map((one) => one.getAttribute("d")));
    const at = await raf.boundingBox();
    await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
    await page.mouse.down();
    await page.mouse.move(at.x + 120, at.y + 70, { steps: 5 });
    await page.mouse.up();
    const moved = await raf.boundingBox();
    assert(Math.abs(moved.x - at.x) > 50, at, moved);
    const now = await line.evaluateAll((all) => all.map((one) => one.getAttribute("d")));
    assert(now.some((d, k) => d !== lines[k]), "its edges follow");
    equal(page.watched.errors, []);
  });

  await test("report: with the keyboard alone", async () => {
    const page = await sachs();
    await page.locator(".node .shape[tabindex='0']").focus();
    const first = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    await page.keyboard.press("ArrowDown");
    const second = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    assert(first !== second, first, second);
    await page.keyboard.press("Enter");
    assert(second.startsWith(`${await chosen(page)},`), second);
    await page.keyboard.press("Escape");
    equal(await chosen(page), "Best graph");
    const place = await page.locator(".node:focus-within").getAttribute("transform");
    await page.keyboard.press("Shift+ArrowRight");
    assert((await page.locator(".node:focus-within").getAttribute("transform")) !== place, "it is moved");
    // Every control can be reached.
    const seen = new Set();
    for (let k = 0; k < 400; k++) {
      await page.keyboard.press("Tab");
      seen.add(await page.evaluate(() => document.activeElement.tagName + (document.activeElement.className?.baseVal ?? document.activeElement.className ?? "")));
    }
    for (const tag of ["SELECT", "SUMMARY", "BUTTONsort", "BUTTONlink"]) assert([...seen].some((one) => one.startsWith(tag)), tag, [...seen]);
  });

  await test("report: edges sorted, filtered, copied", async () => {
    const page = await sachs({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Sort by weight" }).click();
    const weights = await page.locator("table.edges tbody tr").evaluateAll((rows) => rows.map((row) => Number(row.children[4].textContent.replace("−", "-"))));
    assert(weights.every((weight, k) => k === 0 || weights[k - 1] >= weight), weights);
    await page.getByRole("button", { name: "Sort by weight" }).click();
    equal(await page.locator("th[aria-sort]").getAttribute("aria-sort"), "ascending");
    await page.getByLabel("Filter").fill("raf undetermined");
    const rows = await page.locator("table.edges tbody tr").count();
    assert(rows > 0 && rows < 12, rows);
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    await page.getByText("Copied").waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    const lines = text.trim().split("\n");
    equal(lines.length, rows + 1);
    assert(lines[0].startsWith("from,edge,to,strength,weight,confidence,direction_confidence,direction,lower,upper"), lines[0]);
    assert(lines.slice(1).every((line) => line.split(",").length === 10 && line.includes("raf")), text);
  });

  await test("report: effects are those of the program", async () => {
    const page = await sachs();
    const card = page.locator("#one-effect");
    const number = (text) => Number(text.replace(/−/g, "-"));
    for (const [cause, effect] of [["pka", "erk"], ["akt", "plc"], ["pip2", "raf"]]) {
      await card.getByLabel("Cause").selectOption({ label: cause });
      await card.getByLabel("Effect").selectOption({ label: effect });
      const [known] = JSON.parse(nocurl("effects", file("sachs.json"), "--from", cause, "--to", effect, "--json")).effects;
      const shown = number(await card.locator(".figure").textContent());
      assert(Math.abs(shown - known.effect) <= 0.006 * Math.abs(known.effect) + 1e-12, cause, effect, shown, known.effect);
      equal(await card.locator(".open").count(), known.identified ? 0 : 1);
      if (known.range) {
        const words = await card.locator(".open").textContent();
        const ends = words.match(/between (\S+) and (\S+)\./).slice(1).map(number);
        ends.forEach((end, k) => assert(Math.abs(end - known.range[k]) <= 0.006 * Math.abs(known.range[k]) + 1e-6, words, known.range));
      }
    }
    const set = page.locator("#set-variable");
    await set.getByRole("combobox").first().selectOption({ label: "pka" });
    await set.getByRole("spinbutton").fill("1000");
    const { variables } = JSON.parse(nocurl("intervene", file("sachs.json"), "--do", "pka=1000", "--json"));
    const rows = await set.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.children[0].textContent, row.children[2].textContent]));
    assert(rows.length > 3, rows);
    for (const [name, after] of rows) {
      const known = variables.find((one) => one.variable === name).after;
      assert(Math.abs(number(after) - known) <= 0.006 * Math.abs(known) + 1e-9, name, after, known);
    }
  });

  await test("report: checks have sentences and pictures, and the run can be repeated", async () => {
    const page = await sachs();
    assert((await page.locator(".check").count()) >= 10);
    assert((await page.locator(".check svg.gauge").count()) >= 6);
    const command = await page.locator("#run pre").textContent();
    assert(command.startsWith("nocurl learn ") && command.includes("sachs.csv") && !command.includes("--output"), command);
    assert((await page.locator("#run dl").textContent()).includes("xxh3-128:"));
  });

  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [400, "light"], [400, "dark"]]) {
    await test(`report: axe at ${width} pixels, ${scheme}`, async () => {
      const page = await sachs({ width, scheme });
      await page.screenshot({ path: file(`sachs-${width}-${scheme}.png`), fullPage: true });
      equal(await serious(page), []);
      await node(page, "erk").press("Enter");
      await page.locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
      equal(await serious(page), []);
      await page.screenshot({ path: file(`sachs-${width}-${scheme}-chosen.png`) });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert(wide <= 0, "it is wider than the window by", wide);
    });
  }

  await test("report: print", async () => {
    const page = await sachs({ scheme: "dark" });
    await page.pdf({ path: file("sachs.pdf"), format: "A4", margin: { top: "14mm", bottom: "14mm", left: "14mm", right: "14mm" } });
    await page.emulateMedia({ media: "print" });
    equal(await page.locator("nav").isVisible(), false);
    equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  });

  await test("report: levels, gaps and their effects", async () => {
    writeFileSync(file("levels.csv"), levels());
    learn(file("levels.csv"), "levels.html", "--missing", "drop", "--output", file("levels.json"));
    const page = await open(file("levels.html"));
    equal(page.watched.errors, []);
    assert((await page.locator(".variables .levels").count()) >= 2, "levels are shown");
    assert((await page.locator("#variables").textContent()).includes("with missing values"));
    for (const name of ["zone", "dose", "health"]) {
      await node(page, name).press("Enter");
      assert((await page.locator(".panel .plot").count()) > 0, name);
    }
    await page.locator("#set-variable").getByRole("combobox").first().selectOption({ label: "zone" });
    assert((await page.locator("#set-variable tr.set").count()) === 2, "both levels beside the base are set");
    // Answers are those of the program; the values of a number are the steps of a slider.
    const number = (text) => Number(text.replace(/−/g, "-"));
    const near = (shown, known, ...words) => assert(Math.abs(number(shown) - known) <= 0.006 * Math.abs(known) + 1e-9, ...words, shown, known);
    const card = page.locator("#one-effect");
    await card.getByLabel("Cause").selectOption({ label: "zone=west" });
    await card.getByLabel("Effect").selectOption({ label: "dose" });
    assert((await card.textContent()).includes("Going from the base level north to zone=west changes dose by"));
    const known = JSON.parse(nocurl("effects", file("levels.json"), "--from", "zone", "--to", "dose", "--json")).effects;
    near(await card.locator(".figure").textContent(), known.find((one) => one.from_level === "west").effect);
    equal(await card.getByText("Strongest paths").count(), 0);
    await card.getByLabel("Cause").selectOption({ label: "zone=south" });
    await card.getByLabel("Effect").selectOption({ label: "zone=west" });
    assert((await card.textContent()).includes("Choose two different variables."));
    const set = page.locator("#set-variable");
    equal(await set.getByRole("combobox").nth(1).locator("option").allTextContents(), ["north", "south", "west"]);
    await set.getByRole("combobox").first().selectOption({ label: "dose" });
    const slider = set.getByRole("slider");
    equal([await slider.getAttribute("min"), await slider.getAttribute("max"), await slider.getAttribute("step")], ["0", "12", "1"]);
    for (const step of ["0", "6", "12"]) {
      await slider.fill(step);
      const { columns, table } = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).effects);
      const at = columns.findIndex(({ name }) => name === "health");
      const answers = table.responses.filter(({ variable }) => variable === columns.find(({ name }) => name === "dose").variable);
      const row = set.locator("tbody tr", { hasText: "health" });
      if (step !== "6") near(await row.locator("td").nth(1).textContent(), answers[Number(step)].means[at], "health", step);
      else equal(await row.count(), 0);
    }
    // The coefficient of a binary cause names both levels.
    await page.getByRole("button", { name: "Show the edge from sex to dose" }).click();
    assert((await page.locator(".panel").textContent()).includes("sex = m (from f)"));
    equal(await serious(page), []);
    await page.screenshot({ path: file("levels.png"), fullPage: true });
    equal(page.watched.errors, []);
  });

  await test("report: hostile names are shown and never run", async () => {
    const { text, names, table } = hostile();
    writeFileSync(file(table), text);
    learn(file(table), "hostile.html", "--output", file("hostile.svg"), "--output", file("hostile.json"), "--no-confidence");
    const page = await open(file("hostile.html"));
    equal(await page.locator("h1").textContent(), table);
    const shown = await page.locator(".variables tbody th").allTextContents();
    equal(shown, names);
    for (let k = 0; k < names.length; k++) await page.locator(".node .shape").nth(k).press("Enter");
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    equal(await page.evaluate(() => window.hacked ?? null), null);
    equal(page.watched.errors.filter((error) => !error.includes("clipboard")), []);
    equal(page.watched.requests.length, 1);
    equal(await serious(page), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(wide <= 0, "long names make it wider by", wide);
    await page.screenshot({ path: file("hostile.png"), fullPage: true });
    // The picture alone, and inside of a page.
    const picture = await plain(file("hostile.svg"));
    equal(await picture.evaluate(() => window.hacked ?? null), null);
    nocurl("draw", file("hostile.json"), "--quiet", "--output", file("redrawn.html"));
    const redrawn = await open(file("redrawn.html"));
    equal(await redrawn.evaluate(() => window.hacked ?? null), null);
    equal([...picture.watched.errors, ...redrawn.watched.errors], []);
  });

  await test("report: no edges, and very many variables", async () => {
    writeFileSync(file("apart.csv"), numbers(4, 300, 7));
    learn(file("apart.csv"), "apart.html");
    const page = await open(file("apart.html"));
    equal(page.watched.errors, []);
    equal(await page.locator(".edge .hit").count(), 0);
    equal(await page.locator(".node").count(), 4);
    equal(await serious(page), []);
    const list = ["from,to,weight", ...Array.from({ length: 5000 }, (_, k) => `v${k},v${k + 1 + ((k * 7) % 40)},0.5`)];
    writeFileSync(file("many.csv"), `${list.join("\n")}\n`);
    nocurl("draw", file("many.csv"), "--quiet", "--output", file("many.html"));
    const many = await open(file("many.html"));
    equal(many.watched.errors, []);
    await many.getByLabel("Find").fill("v77");
    await many.keyboard.press("Enter");
    await many.locator(".panel h3", { hasText: /^v77$/ }).waitFor();
    await many.screenshot({ path: file("many.png") });
  });

  await test("report: two graphs", async () => {
    nocurl("learn", join(root, "data/sachs.csv"), "--quiet", "--no-confidence", "--method", "fges", "--output", file("other.json"));
    nocurl("compare", file("sachs.json"), file("other.json"), "--quiet", "--output", file("both.html"));
    const page = await open(file("both.html"));
    equal(page.watched.errors, []);
    const all = await page.locator(".edge .hit").count();
    const boxes = page.locator(".legend input");
    assert((await boxes.count()) >= 2, "parts can be hidden");
    await boxes.first().uncheck();
    assert((await page.locator(".edge:not(.gone) .hit").count()) < all);
    const table = JSON.parse(nocurl("compare", file("sachs.json"), file("other.json"), "--json"));
    await boxes.first().check();
    equal(await page.locator("table.edges tbody tr").count(), table.edges.length);
    equal(await serious(page), []);
    await page.screenshot({ path: file("both.png"), fullPage: true });
  });

  await test("report: 50 variables, size and first paint", async () => {
    nocurl("simulate", "--variables", "50", "--rows", "1000", "--seed", "3", "--quiet", "--output", file("fifty.csv"));
    learn(file("fifty.csv"), "fifty.html");
    const size = statSync(file("fifty.html")).size;
    assert(size <= 1.5e6, size);
    const times = [];
    for (let k = 0; k < 5; k++) {
      const page = await open(file("fifty.html"));
      await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length);
      times.push(await page.evaluate(() => Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime)));
      if (k === 0) {
        equal(await serious(page), []);
        await page.screenshot({ path: file("fifty.png") });
      }
      await page.context().close();
    }
    console.log(`      fifty.html: ${Math.round(size / 1000)} kB; first paint after ${times.join(", ")} ms`);
  });

  await test("report: 300 variables", async () => {
    nocurl("simulate", "--variables", "300", "--rows", "500", "--seed", "3", "--quiet", "--output", file("wide.csv"), "--truth", file("wide.json"));
    nocurl("draw", file("wide.json"), "--quiet", "--output", file("wide.html"));
    const page = await open(file("wide.html"));
    equal(page.watched.errors, []);
    const frames = await page.evaluate(async () => {
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const result = {};
      const measure = async (name, act) => {
        await frame();
        const start = performance.now();
        act();
        await frame();
        result[name] = Math.round(performance.now() - start);
      };
      const nodes = document.querySelectorAll(".node");
      const pointer = (type) => new PointerEvent(type, { bubbles: true, pointerType: "mouse", clientX: 400, clientY: 400 });
      await measure("hover", () => nodes[10].dispatchEvent(pointer("pointerenter")));
      await measure("choose", () => nodes[20].dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
      await measure("zoom", () => document.querySelector(".tools button").click());
      await measure("move", () => nodes[20].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true, bubbles: true })));
      const filter = document.querySelector("#edges input");
      filter.value = "x1";
      await measure("filter", () => filter.dispatchEvent(new Event("input")));
      return result;
    });
    console.log(`      wide.html, ms to the next frame: ${JSON.stringify(frames)}`);
    await page.getByRole("button", { name: "Zoom to its neighbourhood" }).click();
    await page.screenshot({ path: file("wide.png") });
    equal(await serious(page), []);
  });
}
