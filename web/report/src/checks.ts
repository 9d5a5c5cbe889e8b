// The checks of the result, with a small picture where their numbers make one.

import type { Check } from "./data";
import { count, el, num, percent, section, sentence, svg } from "./dom";
import type { State } from "./state";

const ORDER = ["concern", "note", "ok"];

export function checks(state: State): HTMLElement | null {
  const { checks, warnings, variables } = state.report;
  if (!checks.length && !warnings.length) return null;
  const names = variables.map((variable) => variable.name);
  const rank = (check: Check) => (ORDER.indexOf(check.verdict) + ORDER.length) % ORDER.length;
  const sorted = [...checks].sort((a, b) => rank(a) - rank(b));
  const notable = sorted.filter((check) => check.verdict !== "ok");
  const fine = sorted.filter((check) => check.verdict === "ok");
  const list = (of: Check[]) => el("ul", { class: "checks" }, ...of.map((check) => card(check, names)));
  const element = section("checks", "Checks");
  if (warnings.length) element.append(el("ul", { class: "warnings" }, ...warnings.map((text) => el("li", {}, sentence(text)))));
  const said = notable.length ? `${count(notable.length, "check")} of ${checks.length} found something to look at.` : "No check found anything.";
  if (checks.length) element.append(el("p", {}, said));
  if (notable.length) element.append(list(notable));
  if (fine.length) {
    const rest = el("details", { open: !notable.length }, el("summary", {}, `${count(fine.length, "check")} found nothing`), list(fine));
    element.append(rest);
  }
  return element;
}

const WORDS: Record<string, string> = { concern: "Concern", note: "Note", ok: "Fine" };

function card(check: Check, names: string[]): HTMLElement {
  const title = check.check.replace(/-/g, " ").replace(/^./, (letter) => letter.toUpperCase());
  const words = el("div", {}, el("h3", {}, title, " ", el("span", { class: `verdict ${check.verdict}` }, WORDS[check.verdict] ?? check.verdict)), el("p", {}, sentence(check.sentence)));
  return el("li", { class: `check ${check.verdict}` }, words, picture(check, names));
}

/** A number of a check, if it is one. */
function number(check: Check, name: string): number | null {
  const value = check.numbers?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** The picture of a check; checks of later versions may have none. */
function picture(check: Check, names: string[]): SVGElement | null {
  const share = (part: string, whole: string, words: string) => {
    const [a, b] = [number(check, part), number(check, whole)];
    return a == null || !b ? null : gauge(a / b, `${num(a)} of ${num(b)} ${words}`);
  };
  switch (check.check) {
    case "varsortability":
    case "r2-sortability": {
      const value = number(check, "value");
      return value == null ? null : gauge(value, percent(value));
    }
    case "density":
      return share("edges", "possible", "edges");
    case "falsification":
      return share("violated", "implied", "violated");
    case "search":
      return share("reached_best", "restarts", "reached the best");
    case "sample-size": {
      const rows = number(check, "rows_per_variable");
      return rows == null ? null : gauge(Math.log10(Math.max(1, rows)) / 3, `${num(rows)} rows a variable`);
    }
    case "collinearity": {
      const value = number(check, "largest_inflation");
      return value == null ? null : gauge(Math.log10(Math.max(1, value)) / 4, `largest inflation ${num(value)}`);
    }
    case "residual-variances": {
      const values = check.numbers?.["variances"];
      return Array.isArray(values) ? bars(values.map((value, at) => [names[at] ?? "", Number(value)]), true) : null;
    }
    case "non-gaussianity": {
      const values = check.numbers?.["residuals"];
      if (!Array.isArray(values)) return null;
      return bars(values.map((shape) => [String(shape?.variable ?? ""), Math.abs(Number(shape?.excess_kurtosis))]), true, "excess kurtosis");
    }
    case "bic": {
      const kinds: [string, string][] = [["learnt", "this graph"], ["sortnregress", "by variance"], ["r2_sortnregress", "by R²"], ["empty", "no edges"]];
      const found = kinds.map(([name, words]): [string, number | null] => [words, number(check, name)]);
      if (found.some(([, value]) => value == null)) return null;
      const worst = Math.max(...found.map(([, value]) => value!));
      return bars(found.map(([words, value]) => [words, worst - value!]), false, "better than the worst by");
    }
    default:
      return null;
  }
}

/** A share between 0 and 1. */
function gauge(share: number, label: string): SVGElement {
  const width = 160 * Math.max(0, Math.min(1, share));
  return svg(
    "svg",
    { class: "gauge", viewBox: "0 0 160 30", role: "img", "aria-label": label },
    svg("rect", { class: "track", x: 0, y: 4, width: 160, height: 7, rx: 3.5 }),
    svg("rect", { class: "fill", x: 0, y: 4, width: Math.max(width, 3), height: 7, rx: 3.5 }),
    svg("text", { x: 0, y: 25 }, label),
  );
}

/** The largest of some numbers as bars, by size or by its logarithm. */
function bars(items: [string, number][], logarithmic: boolean, what = ""): SVGElement | null {
  const known = items.filter(([, value]) => Number.isFinite(value) && value >= 0);
  if (!known.length) return null;
  const largest = [...known].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const scale = logarithmic ? (value: number) => Math.log1p(value / (Math.min(...known.map(([, v]) => v).filter((v) => v > 0)) || 1)) : (value: number) => value;
  const most = Math.max(...largest.map(([, value]) => scale(value))) || 1;
  const height = 15 * largest.length + (what ? 13 : 0);
  const label = `${what ? `${what}: ` : ""}${largest.map(([name, value]) => `${name} ${num(value)}`).join(", ")}`;
  const picture = svg("svg", { class: "gauge", viewBox: `0 0 160 ${height}`, role: "img", "aria-label": label });
  largest.forEach(([name, value], at) => {
    const y = 15 * at;
    const short = [...name].length > 11 ? [...name].slice(0, 10).join("") + "…" : name;
    picture.append(svg("text", { x: 62, y: y + 10, "text-anchor": "end" }, short));
    picture.append(svg("rect", { class: "fill", x: 67, y: y + 3, width: Math.max(1, (48 * scale(value)) / most), height: 8, rx: 2 }));
    picture.append(svg("text", { x: 118, y: y + 10 }, num(value)));
  });
  if (what) picture.append(svg("text", { class: "quiet", x: 0, y: height - 2 }, what));
  return picture;
}
