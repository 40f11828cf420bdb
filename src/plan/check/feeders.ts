import { parse } from "@std/csv";
import { didYouMean } from "../../base/nearest.ts";
import { isMap } from "../schema/branch.ts";
import type { Feeder } from "../schema/data.ts";
import { section } from "./variables.ts";
import type { Walk } from "./walk.ts";

/** The keys of a feeder that go together. */
export function checkFeeder(walk: Walk, feeder: Feeder): void {
  const { weight_column: column, pick } = feeder;
  if (pick === "weighted" && column === undefined) {
    const message = 'missing key "weight_column": `pick: weighted` takes its weights from it';
    return walk.report("missing-key", message, { below: ["weight_column"] });
  }
  if (typeof column !== "string") return;
  const below = ["weight_column"];
  if (pick !== "weighted") {
    const hint = "write `pick: weighted` beside it, or leave it out";
    walk.report("no-effect", "weights are not looked at", { below, hint, severity: "warning" });
  }
  const columns = columnsOf(walk, walk.path.at(-1) as string);
  if (columns === undefined || columns.includes(column)) return;
  const message = `no column ${JSON.stringify(column)}: there are ${columns.join(", ")}`;
  walk.report("unknown-column", message, { below, hint: didYouMean(column, columns) });
}

const COLUMNS = new WeakMap<Walk, Map<string, readonly string[] | undefined>>();

/** The columns of a source of the plan, or undefined when they cannot be known here. */
export function columnsOf(walk: Walk, source: string): readonly string[] | undefined {
  let known = COLUMNS.get(walk);
  if (known === undefined) COLUMNS.set(walk, known = new Map());
  if (!known.has(source)) known.set(source, readColumns(walk, section(walk.plan, "data")[source]));
  return known.get(source);
}

function readColumns(walk: Walk, feeder: unknown): readonly string[] | undefined {
  if (!isMap(feeder)) return undefined;
  const { type, rows, path, delimiter, has_header: hasHeader } = feeder;
  if (type === "inline" && Array.isArray(rows)) {
    return [...new Set(rows.filter(isMap).flatMap((row) => Object.keys(row)))];
  }
  if (type !== "csv" || typeof path !== "string") return undefined;
  const line = walk.files?.firstLine(path);
  if (line === undefined) return undefined;
  const separator = typeof delimiter === "string" && delimiter.length === 1 ? delimiter : ",";
  const cells = readHeader(line, separator);
  return hasHeader === false ? cells?.map((_, i) => String(i)) : cells;
}

/** The cells of a CSV's first line; undefined when a quoted cell goes on in the next. */
function readHeader(line: string, separator: string): string[] | undefined {
  try {
    return parse(line.replace(/^\ufeff/, ""), { separator })[0] ?? [];
  } catch {
    return undefined;
  }
}
