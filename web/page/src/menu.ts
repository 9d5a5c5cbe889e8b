// A small menu beside an element.

import { button, el, named } from "../../report/src/dom";

let shown: HTMLElement | undefined;

/** Shows what can be done; the menu goes with the first choice, Escape or a click elsewhere. */
export function menu(beside: Element, title: string, items: [string, () => void][]): void {
  close();
  const element = el("div", { class: "menu", role: "dialog", "aria-label": title }, el("p", {}, named(title)));
  for (const [words, act] of items) element.append(button(words, () => (close(), act())));
  document.body.append(element);
  const box = beside.getBoundingClientRect();
  const left = Math.min(box.left + box.width / 2, innerWidth - element.offsetWidth - 12);
  const top = box.bottom + 6 + element.offsetHeight > innerHeight ? box.top - element.offsetHeight - 6 : box.bottom + 6;
  element.style.left = `${Math.max(12, left) + scrollX}px`;
  element.style.top = `${Math.max(12, top) + scrollY}px`;
  shown = element;
  const back = document.activeElement;
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close();
      if (back instanceof HTMLElement || back instanceof SVGElement) back.focus();
    }
    const all = [...element.querySelectorAll("button")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    all[(all.indexOf(document.activeElement as HTMLButtonElement) + step + all.length) % all.length]?.focus();
  });
  element.querySelector("button")?.focus();
}

function close(): void {
  shown?.remove();
  shown = undefined;
}

addEventListener("pointerdown", (event) => {
  if (shown && !shown.contains(event.target as Node)) close();
});
