// Elements, numbers and words. Everything from data is set as text, never as markup.

type Attributes = Record<string, string | number | boolean | null | undefined>;
type Child = Node | string | null | undefined | false;

const SVG = "http://www.w3.org/2000/svg";

function dress(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/** An HTML element. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  dress(element, attributes, children);
  return element;
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  dress(element, attributes, children);
  return element;
}

/** A button that does something. */
export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", act);
  return element;
}

/** A name from data: whatever its script, it does not turn what stands beside it. */
export function named(text: string): HTMLElement {
  return el("bdi", { class: "name" }, text);
}

/** A sentence in which names stand between backticks. */
export function sentence(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  text.split("`").forEach((piece, at, all) => {
    if (at % 2 === 0 || at === all.length - 1) fragment.append(at % 2 ? "`" + piece : piece);
    else fragment.append(el("code", { dir: "auto" }, piece));
  });
  return fragment;
}

/** A number to four digits, with a real minus. */
export function num(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(size >= 1000 ? Math.max(4, Math.floor(Math.log10(size)) + 1) : 3)));
  return text.replace(/-/g, "−");
}

/** A share in percent. Above 99% it is rounded down: 100% is only shown for 1. */
export function percent(value: number | null | undefined): string {
  if (value == null) return "–";
  return `${value > 0.99 ? Math.floor(100 * value) : Math.round(100 * value)}%`;
}

/** "1 edge", "2 edges". */
export function count(number: number, thing: string): string {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

/** A section with its heading. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  const heading = el("h2", { id: `${id}-title` }, title);
  return el("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children);
}

/** Puts text on the clipboard; where that is not allowed, shows it selected. */
export async function copy(text: string, beside: HTMLElement): Promise<void> {
  const said = el("span", { class: "said", role: "status" });
  beside.parentElement?.querySelector(".said")?.remove();
  beside.after(said);
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "Copied";
  } catch {
    const area = el("textarea", { class: "copied", rows: 6, "aria-label": "Text to copy" });
    area.value = text;
    said.append("Copy this: ", area);
    area.select();
  }
}

/** A choice of names: a list, or a field with suggestions where there are very many. */
export function chooser(label: string, names: string[], chosen: number, act: (at: number) => void): HTMLElement {
  if (names.length <= 200) {
    const select = el("select");
    names.forEach((name, at) => select.append(el("option", { value: at, selected: at === chosen }, name)));
    select.addEventListener("change", () => act(Number(select.value)));
    return el("label", { class: "field" }, el("span", {}, label), select);
  }
  const id = `names-${Math.random().toString(36).slice(2)}`;
  const list = el("datalist", { id });
  names.forEach((name) => list.append(el("option", { value: name })));
  const input = el("input", { type: "search", list: id, value: names[chosen] ?? "", autocomplete: "off" });
  input.addEventListener("change", () => {
    const at = names.indexOf(input.value);
    input.setAttribute("aria-invalid", String(at < 0));
    if (at >= 0) act(at);
  });
  return el("label", { class: "field" }, el("span", {}, label), input, list);
}
