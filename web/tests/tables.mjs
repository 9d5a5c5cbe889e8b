// Tables that the tests learn from; the same on every run.

/** Numbers that look random, between 0 and 1. */
function source(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** About normal. */
function normal(next) {
  let sum = -6;
  for (let k = 0; k < 12; k++) sum += next();
  return sum;
}

function csv(rows) {
  const cell = (value) => (/[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

/** Columns that have nothing to do with each other. */
export function numbers(columns, rows, seed) {
  const next = source(seed);
  const names = Array.from({ length: columns }, (_, k) => `v${k + 1}`);
  return csv([names, ...Array.from({ length: rows }, () => names.map(() => normal(next).toFixed(5)))]);
}

/** Categories, a truth value, numbers and gaps: zone and sex act on dose, dose on health. */
export function levels() {
  const next = source(11);
  const rows = [["zone", "sex", "dose", "health", "ill"]];
  for (let k = 0; k < 900; k++) {
    const zone = ["north", "south", "west"][Math.floor(3 * next())];
    const sex = next() < 0.5 ? "f" : "m";
    const dose = { north: 0, south: 2, west: -1 }[zone] + (sex === "f" ? 1 : 0) + normal(next);
    const health = 1.5 * dose + normal(next);
    const ill = health + 2 * normal(next) < 0 ? "yes" : "no";
    rows.push([zone, sex, next() < 0.01 ? "" : dose.toFixed(3), health.toFixed(3), ill]);
  }
  return csv(rows);
}

/** Names, levels and the name of a file that try to be code. */
export function hostile() {
  const run = "window.hacked=1";
  const names = [
    `</script><script>${run}</script>`,
    `<img src=x onerror=${run}>`,
    `"'><svg onload="${run}">`,
    "$HOME $(reboot) `id` ${x}",
    "مرحبا \u202Eevil\u202C",
    `javascript:${run}`,
    "long name ".repeat(30).trim(),
  ];
  const level = (k) => [`<b onclick=${run}>`, `</textarea><script>${run}</script>`, "&lt;ok&gt;"][k];
  const next = source(5);
  const rows = [names];
  for (let k = 0; k < 400; k++) {
    const row = [];
    let last = normal(next);
    for (let j = 0; j < names.length - 1; j++) {
      row.push(last.toFixed(4));
      last = 0.8 * last + normal(next);
    }
    rows.push([...row, level(last > 1 ? 0 : last > -1 ? 1 : 2)]);
  }
  return { text: csv(rows), names, table: `x<img src=q onerror=${run}>'.csv` };
}
