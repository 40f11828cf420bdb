import { parse } from "@std/csv";
import { didYouMean } from "../../base/nearest.ts";
import { isMap } from "../schema/branch.ts";
import type { Feeder } from "../schema/data.ts";
import { inSection } from "./variables.ts";
import type { CheckContext, Details } from "./check_context.ts";

/** The most columns that a message names. */
const MOST_NAMED = 20;

/** The keys of a feeder that go together. */
export function checkFeeder(walk: CheckContext, feeder: Feeder): void {
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
  checkColumn(walk, String(walk.path.at(-1)), column, { below });
}

/** The columns of a source of the plan, or undefined when they cannot be known here. */
function knownColumns(walk: CheckContext, source: string): readonly string[] | undefined {
  if (!walk.columns.has(source)) {
    walk.columns.set(source, readColumns(walk, inSection(walk.plan, "data")[source]));
  }
  return walk.columns.get(source);
}

/** Reports a column that a source is known not to have. */
export function checkColumn(
  walk: CheckContext,
  source: string,
  column: string,
  details: Details,
): void {
  const columns = knownColumns(walk, source);
  if (columns === undefined || columns.includes(column)) return;
  const list = columns.slice(0, MOST_NAMED).join(", ") + (columns.length > MOST_NAMED ? ", …" : "");
  const message = `data.${source} has no column ${JSON.stringify(column)}: it has ${list}`;
  walk.report("unknown-column", message, { ...details, hint: didYouMean(column, columns) });
}

function readColumns(walk: CheckContext, feeder: unknown): readonly string[] | undefined {
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
