// The line of an edge, as `crates/nocurl-render/src/scene.rs` draws it.

import type { Link, Spot } from "./data";

export type Point = [number, number];

/** How an edge is coloured. */
export function colour(link: Link): string {
  if (link.part) return link.part;
  if (link.weight == null) return "plain";
  return link.weight < 0 ? "negative" : "positive";
}

/** Points in pairs. */
export function points(route: number[]): Point[] {
  const all: Point[] = [];
  for (let at = 0; at + 1 < route.length; at += 2) all.push([route[at]!, route[at + 1]!]);
  return all;
}

/** A way between two places that were moved: down, across, down. */
export function direct(from: Spot, to: Spot): Point[] {
  const start = border(from, to);
  const end = border(to, from);
  const bend = 0.35 * (end[1] - start[1]);
  return [start, [start[0], start[1] + bend], [end[0], end[1] - bend], end];
}

/** Where a line from the middle of one place to another leaves it. */
function border(spot: Spot, other: Spot): Point {
  const dx = other.x - spot.x;
  const dy = other.y - spot.y;
  if (dx === 0 && dy === 0) return [spot.x, spot.y];
  const scale = Math.min(spot.w / 2 / Math.abs(dx || 1e-9), spot.h / 2 / Math.abs(dy || 1e-9));
  return [spot.x + scale * dx, spot.y + scale * dy];
}

interface Drawn {
  line: string;
  heads: string[];
}

/** The line and the heads of an edge along its points. */
export function draw(link: Link, way: Point[], overview: boolean): Drawn {
  const all = way.map(([x, y]): Point => [x, y]);
  const heads: string[] = [];
  const width = link.route.width;
  const length = overview ? 2.5 + 1.5 * width : 5.5 + 1.4 * width;
  if (all.length < 4) return { line: "", heads };
  if (link.direction !== "undetermined") heads.push(head(all, length, link.direction === "likely"));
  if (link.part === "reversed") {
    all.reverse();
    heads.push(head(all, length, false));
    all.reverse();
  }
  const [first, ...rest] = all;
  let line = `M${at(first!)}`;
  for (let k = 0; k + 2 < rest.length; k += 3) line += `C${at(rest[k]!)} ${at(rest[k + 1]!)} ${at(rest[k + 2]!)}`;
  return { line, heads };
}

function at([x, y]: Point): string {
  return `${x.toFixed(2)} ${y.toFixed(2)}`;
}

/** The head at the last of the points, which are made shorter by it. */
function head(all: Point[], length: number, open: boolean): string {
  const last = all.length - 1;
  const tip = all[last]!;
  const before = all[last - 1]!;
  const size = Math.hypot(tip[0] - before[0], tip[1] - before[1]);
  if (size < 1e-6) return "";
  const dx = (tip[0] - before[0]) / size;
  const dy = (tip[1] - before[1]) / size;
  const back = (by: number, side: number): Point => [tip[0] - by * dx - side * dy, tip[1] - by * dy + side * dx];
  const half = 0.42 * length;
  const corners = [tip, back(length, half), back(open ? length : 0.8 * length, 0), back(length, -half)];
  all[last] = back(open ? length : 0.75 * length, 0);
  const slack = Math.min(size, length);
  all[last - 1] = [before[0] - 0.5 * slack * dx, before[1] - 0.5 * slack * dy];
  return `M${corners.map(at).join("L")}Z`;
}
