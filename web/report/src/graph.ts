// The picture of the graph: zoom, pan, drag, hover, choose.

import { type Point, colour, direct, draw, points } from "./edge";
import type { Link, Spot } from "./data";
import { button, count, el, named, num, percent, svg } from "./dom";
import { State, relatives } from "./state";

interface DrawnEdge {
  link: Link;
  group: SVGGElement;
  line: SVGPathElement;
  hit: SVGPathElement;
  heads: SVGPathElement[];
  label: SVGGElement | null;
}

interface DrawnNode {
  spot: Spot;
  group: SVGGElement;
  /** What can be chosen: without the name, which may be cut into lines. */
  shape: SVGElement;
  moved: boolean;
}

/** Points of a finger or mouse that are a click rather than a drag. */
const STILL = 4;

/** How far it zooms in and out. */
const ZOOMS: [number, number] = [0.5, 12];

export class Picture {
  readonly element: HTMLElement;
  private readonly canvas = svg("svg", { class: "graph", role: "group", preserveAspectRatio: "xMidYMid meet" });
  private readonly scene = svg("g");
  private readonly tip = el("div", { class: "tip", hidden: true });
  private edges: DrawnEdge[] = [];
  private nodes: DrawnNode[] = [];
  private around = new Map<number, DrawnEdge[]>();
  private zoom = 1;
  private shift: Point = [0, 0];
  private focus = 0;
  private only = false;
  private drawn = -1;

  constructor(private readonly state: State) {
    this.canvas.append(this.scene);
    const help = el(
      "p",
      { class: "hint", id: "graph-help" },
      "Drag the background to move, variables to arrange them; hold Ctrl and scroll to zoom. With the keyboard: Tab into the picture, arrow keys go from variable to variable, Enter chooses, + and − zoom, 0 shows all.",
    );
    this.canvas.setAttribute("aria-describedby", "graph-help");
    this.element = el("div", { class: "picture" }, this.canvas, this.tip, this.tools());
    this.help = help;
    this.listen();
    this.draw();
    state.listen(() => this.update());
  }

  readonly help: HTMLElement;

  private tools(): HTMLElement {
    const tool = (sign: string, label: string, act: () => void) => button(sign, act, { class: "tool", "aria-label": label, title: label });
    return el(
      "div",
      { class: "tools", role: "group", "aria-label": "Zoom" },
      tool("+", "Zoom in", () => this.zoomBy(1.4)),
      tool("−", "Zoom out", () => this.zoomBy(1 / 1.4)),
      tool("⤢", "Show all, everything in its place", () => this.reset()),
    );
  }

  /** Draws the graph that is looked at anew. */
  private draw(): void {
    const view = this.state.shown;
    this.drawn = this.state.view;
    this.zoom = 1;
    this.shift = [0, 0];
    this.canvas.setAttribute("viewBox", `-8 -8 ${view.width + 16} ${view.height + 16}`);
    this.canvas.setAttribute("aria-label", `Graph: ${view.about}`);
    this.canvas.classList.toggle("overview", view.overview);
    const lines = svg("g", { "aria-hidden": "true" });
    const labels = svg("g", { "aria-hidden": "true" });
    const nodes = svg("g");
    this.nodes = view.spots.map((spot, at) => this.node({ ...spot }, at));
    this.edges = view.edges.map((link) => this.edge(link));
    this.around = new Map();
    for (const edge of this.edges) {
      for (const end of [edge.link.from, edge.link.to]) {
        const known = this.around.get(end);
        if (known) known.push(edge);
        else this.around.set(end, [edge]);
      }
    }
    // Faint edges first, so that sure ones are seen above them.
    const heavy = (edge: DrawnEdge) => edge.link.route.opacity * edge.link.route.width;
    for (const edge of [...this.edges].sort((a, b) => heavy(a) - heavy(b))) {
      lines.append(edge.group);
      if (edge.label) labels.append(edge.label);
    }
    for (const node of this.nodes) if (node.spot.shown) nodes.append(node.group);
    this.scene.replaceChildren(lines, labels, nodes);
    this.focus = Math.max(0, this.nodes.findIndex((node) => node.spot.shown));
    this.nodes[this.focus]?.shape.setAttribute("tabindex", "0");
    this.place();
    this.update();
  }

  private edge(link: Link): DrawnEdge {
    const kind = colour(link);
    const line = svg("path", { class: "line", fill: "none", "stroke-width": link.route.width });
    const hit = svg("path", { class: "hit", fill: "none" });
    const group = svg("g", { class: `edge ${kind} ${link.direction}` }, hit, line);
    line.setAttribute("opacity", String(link.route.opacity));
    const known = { link, group, line, hit, heads: [] as SVGPathElement[], label: null as SVGGElement | null };
    if (link.route.label) {
      const text = link.route.label[2].replace(/^-/, "−");
      const words = svg("text", { class: `weight ${kind}`, "text-anchor": "middle", dy: "0.36em" }, text);
      known.label = svg("g", { class: "label" }, words);
    }
    this.route(known);
    group.addEventListener("pointerenter", (event) => this.hoverEdge(known, event));
    group.addEventListener("pointermove", (event) => this.placeTip(event));
    group.addEventListener("pointerleave", () => this.leave());
    group.addEventListener("click", () => this.state.choose(null, link));
    return known;
  }

  /** Draws the line of an edge where its ends now stand. */
  private route(edge: DrawnEdge): void {
    const { link } = edge;
    const [from, to] = [this.nodes[link.from]!, this.nodes[link.to]!];
    const moved = from.moved || to.moved;
    const way = moved || link.route.points.length < 8 ? direct(from.spot, to.spot) : points(link.route.points);
    const { line, heads } = draw(link, way, this.state.shown.overview);
    edge.line.setAttribute("d", line);
    edge.hit.setAttribute("d", line);
    edge.heads.forEach((head) => head.remove());
    edge.heads = heads.filter(Boolean).map((d) => svg("path", { class: "head", d, opacity: link.route.opacity }));
    edge.group.append(...edge.heads);
    if (edge.label && link.route.label) {
      const [x, y] = moved ? middle(way) : [link.route.label[0], link.route.label[1]];
      edge.label.setAttribute("transform", `translate(${x} ${y})`);
    }
  }

  private node(spot: Spot, at: number): DrawnNode {
    const view = this.state.shown;
    const shape = view.overview ? dot(spot) : outline(spot);
    shape.setAttribute("role", "button");
    shape.setAttribute("tabindex", "-1");
    shape.setAttribute("aria-label", this.describe(at));
    const group = svg("g", { class: `node ${spot.kind}` }, shape);
    if (view.overview) {
      const [x, y] = spot.label ? [spot.label[0] - spot.x, spot.label[1] - spot.y] : [spot.w / 2 + 3, 0];
      const anchor = spot.label ? "middle" : "start";
      group.append(svg("text", { class: `small${spot.label ? "" : " extra"}`, "aria-hidden": "true", x, y, dy: "0.36em", "text-anchor": anchor }, spot.lines[0] ?? ""));
    } else {
      spot.lines.forEach((line, k) => {
        const y = 13 * (k - (spot.lines.length - 1) / 2);
        group.append(svg("text", { "aria-hidden": "true", x: 0, y, dy: "0.36em", "text-anchor": "middle" }, line));
      });
    }
    const known = { spot, group, shape, moved: false };
    group.addEventListener("pointerenter", (event) => this.hoverNode(at, event));
    group.addEventListener("pointermove", (event) => this.placeTip(event));
    group.addEventListener("pointerleave", () => this.leave());
    group.addEventListener("pointerdown", (event) => this.drag(known, at, event));
    group.addEventListener("keydown", (event) => this.key(at, event));
    this.put(known);
    return known;
  }

  private put(node: DrawnNode): void {
    node.group.setAttribute("transform", `translate(${node.spot.x} ${node.spot.y})`);
  }

  private describe(at: number): string {
    const { parents, children, open } = relatives(this.state.shown, at);
    const kind = this.state.report.variables[at]?.kind;
    const words = [this.state.name(at), kind, count(parents.length, "parent"), children.length === 1 ? "1 child" : `${children.length} children`];
    if (open.length) words.push(`${open.length} undetermined`);
    return words.filter(Boolean).join(", ");
  }

  // What follows the pointer.

  private hoverNode(at: number, event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const variable = this.state.report.variables[at]!;
    const lines = [el("strong", {}, named(variable.name))];
    const said = this.describe(at).slice(variable.name.length + 2);
    this.say(event, ...lines, el("span", {}, said));
    this.highlight(at);
  }

  private hoverEdge(edge: DrawnEdge, event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    this.say(event, ...edgeWords(this.state, edge.link));
    edge.group.classList.add("hovered");
  }

  private say(event: PointerEvent, ...children: Node[]): void {
    this.tip.replaceChildren(...children);
    this.tip.hidden = false;
    this.placeTip(event);
  }

  private placeTip(event: PointerEvent): void {
    if (this.tip.hidden) return;
    const box = this.element.getBoundingClientRect();
    const width = Math.min(this.tip.offsetWidth, box.width);
    const x = Math.min(event.clientX - box.left + 14, box.width - width - 4);
    const y = event.clientY - box.top + 16;
    const high = y + this.tip.offsetHeight > box.height ? y - this.tip.offsetHeight - 28 : y;
    this.tip.style.transform = `translate(${Math.max(0, x)}px, ${Math.max(0, high)}px)`;
  }

  private leave(): void {
    this.tip.hidden = true;
    this.canvas.querySelectorAll(".hovered").forEach((element) => element.classList.remove("hovered"));
    this.highlight(this.state.chosen.variable);
  }

  /** Makes everything pale that is not next to a variable or at the ends of the chosen edge. */
  private highlight(variable: number | null): void {
    this.canvas.querySelectorAll(".near, .chosen").forEach((element) => element.classList.remove("near", "chosen"));
    const chosen = this.state.chosen.edge;
    this.canvas.classList.toggle("focused", variable != null || chosen != null);
    const near = new Set<number>();
    if (variable != null) {
      near.add(variable);
      for (const edge of this.around.get(variable) ?? []) {
        if (!this.state.shows(edge.link)) continue;
        edge.group.classList.add("near");
        edge.label?.classList.add("near");
        near.add(edge.link.from).add(edge.link.to);
      }
      this.nodes[variable]?.group.classList.add("chosen");
    } else if (chosen) {
      const edge = this.edges.find((edge) => edge.link.from === chosen.from && edge.link.to === chosen.to);
      edge?.group.classList.add("near", "chosen");
      edge?.label?.classList.add("near");
      near.add(chosen.from).add(chosen.to);
    }
    near.forEach((at) => this.nodes[at]?.group.classList.add("near"));
  }

  // Zoom and pan.

  private place(): void {
    this.scene.setAttribute("transform", `translate(${this.shift[0]} ${this.shift[1]}) scale(${this.zoom})`);
    this.canvas.classList.toggle("zoomed", this.zoom > 1.05);
  }

  private zoomBy(factor: number, at?: Point): void {
    const view = this.state.shown;
    const [x, y] = at ?? [view.width / 2, view.height / 2];
    const zoom = Math.min(ZOOMS[1], Math.max(ZOOMS[0], this.zoom * factor));
    const ratio = zoom / this.zoom;
    this.shift = [x - ratio * (x - this.shift[0]), y - ratio * (y - this.shift[1])];
    this.zoom = zoom;
    this.place();
  }

  private reset(): void {
    this.only = false;
    this.state.choose(null);
    this.draw();
  }

  /** Shows a variable and what is next to it as large as the picture allows. */
  show(variable: number): void {
    const view = this.state.shown;
    const near = [variable, ...(this.around.get(variable) ?? []).flatMap(({ link }) => [link.from, link.to])];
    const spots = near.map((at) => this.nodes[at]!.spot);
    const low = (of: (spot: Spot) => number) => Math.min(...spots.map(of));
    const high = (of: (spot: Spot) => number) => Math.max(...spots.map(of));
    const [left, right] = [low((s) => s.x - s.w / 2) - 20, high((s) => s.x + s.w / 2) + 20];
    const [top, bottom] = [low((s) => s.y - s.h / 2) - 20, high((s) => s.y + s.h / 2) + 20];
    this.zoom = Math.min(ZOOMS[1] / 3, Math.max(1, Math.min(view.width / (right - left), view.height / (bottom - top))));
    this.shift = [view.width / 2 - (this.zoom * (left + right)) / 2, view.height / 2 - (this.zoom * (top + bottom)) / 2];
    this.place();
  }

  /** Hides or shows again what is not near the chosen variable. */
  toggleOnly(): boolean {
    this.only = !this.only;
    this.update();
    return this.only;
  }

  /** Where a pointer is, in the picture's own measure. */
  private inside(event: { clientX: number; clientY: number }): Point {
    const matrix = this.canvas.getScreenCTM();
    if (!matrix) return [0, 0];
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  }

  private listen(): void {
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoomBy(Math.exp(-event.deltaY / 300), this.inside(event));
      },
      { passive: false },
    );
    const fingers = new Map<number, Point>();
    let moved = 0;
    this.canvas.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, this.inside(event));
      moved = 0;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before || this.dragging) return;
      const now = this.inside(event);
      if (fingers.size === 2) {
        const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)![1];
        const apart = (point: Point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
        this.zoomBy(apart(now) / Math.max(1, apart(before)), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
      } else {
        moved += Math.hypot(event.movementX, event.movementY);
        if (moved > STILL && !this.canvas.hasPointerCapture(event.pointerId)) this.canvas.setPointerCapture(event.pointerId);
        if (moved > STILL) {
          this.shift = [this.shift[0] + now[0] - before[0], this.shift[1] + now[1] - before[1]];
          this.place();
        }
      }
      fingers.set(event.pointerId, now);
    });
    const end = (event: PointerEvent) => {
      fingers.delete(event.pointerId);
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("click", (event) => {
      const on = event.target instanceof Element && event.target.closest(".node, .edge");
      if (!on && moved <= STILL) this.state.choose(null);
    });
  }

  private dragging = false;

  private drag(node: DrawnNode, at: number, event: PointerEvent): void {
    event.preventDefault();
    node.shape.focus({ preventScroll: true });
    const start: Point = [event.clientX, event.clientY];
    const from = this.inside(event);
    const place: Point = [node.spot.x, node.spot.y];
    this.dragging = true;
    node.group.setPointerCapture(event.pointerId);
    let moved = false;
    const move = (next: PointerEvent) => {
      if (!moved && Math.hypot(next.clientX - start[0], next.clientY - start[1]) <= STILL) return;
      moved = true;
      this.tip.hidden = true;
      const now = this.inside(next);
      this.move(at, place[0] + (now[0] - from[0]) / this.zoom, place[1] + (now[1] - from[1]) / this.zoom);
    };
    const end = () => {
      node.group.removeEventListener("pointermove", move);
      node.group.removeEventListener("pointerup", end);
      node.group.removeEventListener("pointercancel", end);
      this.dragging = false;
      if (!moved) this.state.choose(at);
    };
    node.group.addEventListener("pointermove", move);
    node.group.addEventListener("pointerup", end);
    node.group.addEventListener("pointercancel", end);
  }

  private move(at: number, x: number, y: number): void {
    const node = this.nodes[at]!;
    node.moved = true;
    node.spot.x = x;
    node.spot.y = y;
    this.put(node);
    this.around.get(at)?.forEach((edge) => this.route(edge));
  }

  // The keyboard.

  private key(at: number, event: KeyboardEvent): void {
    const arrows: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (arrow && (event.altKey || event.shiftKey)) {
      const { x, y } = this.nodes[at]!.spot;
      this.move(at, x + 12 * arrow[0], y + 12 * arrow[1]);
    } else if (arrow) this.step(at, arrow);
    else if (event.key === "Enter" || event.key === " ") this.state.choose(at);
    else if (event.key === "Escape") this.state.choose(null);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.4, [this.nodes[at]!.spot.x, this.nodes[at]!.spot.y]);
    else if (event.key === "-") this.zoomBy(1 / 1.4);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
  }

  /** Goes to the nearest variable in a direction. */
  private step(at: number, [dx, dy]: Point): void {
    const here = this.nodes[at]!.spot;
    let best = -1;
    let least = Infinity;
    this.nodes.forEach(({ spot, group }, other) => {
      if (other === at || !spot.shown || group.classList.contains("gone")) return;
      const along = (spot.x - here.x) * dx + (spot.y - here.y) * dy;
      const aside = Math.abs((spot.x - here.x) * dy) + Math.abs((spot.y - here.y) * dx);
      if (along > 1 && along + 2 * aside < least) [best, least] = [other, along + 2 * aside];
    });
    if (best < 0) return;
    this.nodes[this.focus]?.shape.setAttribute("tabindex", "-1");
    this.focus = best;
    const { shape } = this.nodes[best]!;
    shape.setAttribute("tabindex", "0");
    shape.focus();
  }

  /** Follows what was chosen elsewhere. */
  private update(): void {
    if (this.drawn !== this.state.view) return this.draw();
    for (const edge of this.edges) {
      const gone = !this.state.shows(edge.link);
      edge.group.classList.toggle("gone", gone);
      edge.label?.classList.toggle("gone", gone);
    }
    const { variable } = this.state.chosen;
    const near = new Set<number>();
    if (this.only && variable != null) {
      near.add(variable);
      this.around.get(variable)?.forEach(({ link }) => near.add(link.from).add(link.to));
    }
    const hide = near.size > 0;
    this.nodes.forEach((node, at) => {
      node.group.classList.toggle("gone", hide && !near.has(at));
      node.shape.setAttribute("aria-pressed", String(at === variable));
    });
    if (hide) {
      for (const edge of this.edges) {
        if (near.has(edge.link.from) && near.has(edge.link.to)) continue;
        edge.group.classList.add("gone");
        edge.label?.classList.add("gone");
      }
    }
    this.highlight(variable);
    return;
  }
}

/** What is known of an edge, for the pointer and the panel. */
export function edgeWords(state: State, link: Link): HTMLElement[] {
  const arrow = link.direction === "undetermined" ? "—" : "→";
  const lines = [el("strong", {}, named(state.name(link.from)), ` ${arrow} `, named(state.name(link.to)))];
  const line = (text: string) => lines.push(el("span", {}, text));
  if (link.sides?.length) {
    const graphs = state.report.compared?.graphs ?? ["first", "second"];
    link.sides.forEach((side, k) => line(`${graphs[k]}: ${side ? `${sideArrow(side.direction, side.backward)}${side.weight == null ? "" : `, weight ${num(side.weight)}`}` : "no edge"}`));
    return lines;
  }
  if (link.weight != null) line(`weight ${num(link.weight)}${link.interval ? ` (${num(link.interval[0])} to ${num(link.interval[1])})` : ""}`);
  if (link.standardized != null) line(`standardised weight ${num(link.standardized)}`);
  if (link.strength != null) line(`strength ${num(link.strength)}`);
  if (link.confidence != null) line(`confidence of the edge ${percent(link.confidence)}`);
  if (link.direction_confidence != null) line(`confidence of the direction ${percent(link.direction_confidence)}`);
  line(`direction ${link.direction}`);
  return lines;
}

/** The arrow of an edge in one graph of a comparison. */
export function sideArrow(direction: string, backward: boolean): string {
  return direction === "undetermined" ? "—" : backward ? "←" : "→";
}

function middle(way: Point[]): Point {
  const [a, b, c, d] = way as [Point, Point, Point, Point];
  return [(a[0] + 3 * b[0] + 3 * c[0] + d[0]) / 8, (a[1] + 3 * b[1] + 3 * c[1] + d[1]) / 8];
}

/** The shape of a variable around its middle: round for numbers, cut corners for levels. */
function outline({ kind, w, h }: Spot): SVGElement {
  if (kind === "continuous") return svg("rect", { class: "shape", x: -w / 2, y: -h / 2, width: w, height: h, rx: Math.min(5, h / 2) });
  const cut = kind === "categorical" ? Math.min(6, h / 2) : Math.min(7, w / 4);
  const side = kind === "categorical" ? h / 2 - cut : 0;
  const corners = [
    [-w / 2 + cut, -h / 2], [w / 2 - cut, -h / 2], [w / 2, -side], [w / 2, side],
    [w / 2 - cut, h / 2], [-w / 2 + cut, h / 2], [-w / 2, side], [-w / 2, -side],
  ];
  return svg("polygon", { class: "shape", points: corners.map((corner) => corner.join(",")).join(" ") });
}

function dot({ kind, w, h }: Spot): SVGElement {
  if (kind === "continuous") return svg("circle", { class: "shape", r: w / 2 });
  return svg("rect", { class: "shape", x: -w / 2, y: -h / 2, width: w, height: h });
}
