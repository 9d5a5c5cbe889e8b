// The module gives what the program gives: the same edges, order and directions, weights to 1e-9.
// WebAssembly has no fused multiply-add, so that last bits may differ.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

export default async function agree({ test, assert, equal, nocurl, folder, root }) {
  const npm = join(root, "web/npm");
  const module = gunzipSync(readFileSync(join(root, "crates/nocurl-page/asset/nocurl.wasm.gz")));
  execFileSync("node", ["build.mjs"], { cwd: npm });
  const { load, InputError, StoppedError } = await import(pathToFileURL(join(npm, "dist/index.js")));
  const engine = await load(module);

  const simulated = (name, ...flags) => {
    const path = join(folder, name);
    nocurl("simulate", "--rows", "500", ...flags, "--output", path, "--truth", join(folder, "truth.json"), "--quiet");
    return path;
  };
  /** A table, the settings, and the same as flags. */
  const cases = [
    ["sachs", join(root, "data/sachs.csv"), { bootstrap: 20 }, ["--bootstrap", "20"]],
    ["sachs with tiers", join(root, "data/sachs.csv"), { confidence: false, knowledge: { tiers: [{ variables: ["pkc", "pka"] }, { variables: ["raf", "mek"] }], forbidden: [["raf", "mek"]] } }, ["--no-confidence", "--tier", "pkc,pka", "--tier", "raf,mek", "--forbid", "raf,mek"]],
    ["ten variables", simulated("ten.csv", "--variables", "10", "--seed", "1"), { bootstrap: 10 }, ["--bootstrap", "10"]],
    ["thirty variables", simulated("thirty.csv", "--variables", "30", "--seed", "2"), { confidence: false }, ["--no-confidence"]],
    ["uniform noise", simulated("uniform.csv", "--variables", "8", "--noise", "uniform", "--variances", "random:0.5,2", "--seed", "3"), { bootstrap: 10 }, ["--bootstrap", "10"]],
    ["categories", simulated("mixed.csv", "--variables", "8", "--categorical", "0.5", "--seed", "4"), { confidence: false }, ["--no-confidence"]],
    ["nocurl", simulated("nocurl.npy", "--variables", "12", "--seed", "5"), { method: "nocurl", confidence: false }, ["--method", "nocurl", "--no-confidence"]],
    ["notears", simulated("notears.csv", "--variables", "8", "--seed", "6"), { method: "notears", parameters: { lambda1: 0.05 }, confidence: false }, ["--method", "notears", "--param", "lambda1=0.05", "--no-confidence"]],
    ["fges", simulated("fges.csv", "--variables", "20", "--seed", "7"), { method: "fges", confidence: false }, ["--method", "fges", "--no-confidence"]],
    ["exact", simulated("exact.csv", "--variables", "7", "--seed", "8"), { method: "exact", confidence: false }, ["--method", "exact", "--no-confidence"]],
    ["lingam", simulated("lingam.csv", "--variables", "7", "--noise", "exponential", "--seed", "9"), { method: "lingam", confidence: false }, ["--method", "lingam", "--no-confidence"]],
  ];
  // The program may be newer than the kept module; then their results may differ.
  if (process.env.NOCURL_PAGE_OLD) console.log(`SKIPPED agree: ${process.env.NOCURL_PAGE_OLD}`);
  for (const [name, table, settings, flags] of process.env.NOCURL_PAGE_OLD ? [] : cases) {
    await test(`agree: ${name}`, async () => {
      const file = join(folder, "program.json");
      nocurl("learn", table, ...flags, "--quiet", "--output", file);
      const program = JSON.parse(readFileSync(file, "utf8"));
      const { document: module } = engine.learn(table, settings);
      const ends = ({ edges }) => edges.map(({ from, to, direction }) => `${from} ${direction} ${to}`).sort();
      equal(ends(module), ends(program));
      // It stops at a tolerance after thousands of steps, which last bits decide.
      if (settings.method === "notears") return;
      equal(module.order, program.order);
      const weights = new Map(program.edges.map((edge) => [`${edge.from} ${edge.to}`, edge]));
      for (const edge of module.edges) {
        const other = weights.get(`${edge.from} ${edge.to}`);
        for (const value of ["weight", "strength"]) {
          if (other[value] === undefined) continue;
          const apart = Math.abs(edge[value] - other[value]);
          assert(apart <= 1e-9 * Math.max(1, Math.abs(other[value])), name, value, edge[value], other[value]);
        }
      }
    });
  }

  await test("npm: the package is packed, installed and runs its example", async () => {
    const place = join(folder, "npm");
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    execFileSync("npm", ["pack", "--pack-destination", place, "--silent"], { cwd: npm, stdio: ["ignore", "pipe", "ignore"] });
    writeFileSync(join(place, "package.json"), '{ "private": true, "type": "module" }');
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent", "./nocurl-0.1.0.tgz"], { cwd: place, stdio: ["ignore", "pipe", "ignore"] });
    const example = join(place, "node_modules/nocurl/example/learn.mjs");
    const said = execFileSync("node", [example, join(root, "data/sachs.csv")], { cwd: place, encoding: "utf8" });
    assert(said.includes("raf: continuous") && said.includes("pkc -> p38") && said.includes("nocurl learn sachs.csv"), said);
    // Its types are those of what it does.
    const use = 'import { load, type Learnt } from "nocurl";\nconst found: Learnt = (await load()).learn({ name: "t.csv", text: "" }, { missing: "drop" });\nexport const edges: string[] = found.document.edges.map(({ from }) => from);\n';
    writeFileSync(join(place, "use.ts"), use);
    execFileSync(join(root, "web/node_modules/.bin/tsc"), ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--skipLibCheck", "false", "use.ts"], { cwd: place, encoding: "utf8" });
  });

  await test("npm: what is wrong is one line, and watching can stop the work", async () => {
    const told = (work) => {
      try {
        work();
      } catch (error) {
        assert(error instanceof InputError, String(error.stack));
        assert(!error.message.includes("\n"), error.message);
        return error.message;
      }
      return "";
    };
    const small = { name: "t.csv", text: "a,b\n1,2\n2,5\n3,1\n4,9\n" };
    assert(told(() => engine.learn("nowhere.csv")).includes("nowhere.csv"));
    assert(told(() => engine.learn({ name: "t.csv", text: "" })).includes("empty"));
    assert(told(() => engine.learn(small, { tresh: 1 })).startsWith("tresh: there is no such setting"));
    assert(told(() => engine.learn(small, { method: "order-serch" })).includes("order-search"));
    assert(told(() => engine.learn(small, { checkpoint: "x" })).includes("only the program"));
    assert(told(() => engine.learn(small, { knowledge: { forbidden: [["a", "z"]] } })).includes("z"));
    assert(told(() => engine.learn(small, { memory: "1kB" })).includes("program `nocurl`"));
    let stopped = false;
    try {
      engine.learn(join(root, "data/sachs.csv"), {}, () => false);
    } catch (error) {
      stopped = error instanceof StoppedError;
    }
    assert(stopped, "stopped by whoever watches");
  });
}
