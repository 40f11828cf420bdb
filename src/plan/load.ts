import { parseYaml } from "../base/yaml.ts";
import { aliasFault } from "./aliases.ts";
import { BlockPlaces } from "./block_places.ts";
import { checkPlan } from "./check.ts";
import { decodePlan } from "./decode.ts";
import { MAX_DEPTH } from "./depth.ts";
import type { Diagnostic, LocatedDiagnostic } from "./diagnostic.ts";
import { LineIndex } from "./line_index.ts";
import type { PlanFiles } from "./files.ts";
import type { Plan } from "./schema/plan.ts";
import type { SourceMap, YamlFault } from "./source_map.ts";

/** The most syntax errors that are told at once. */
const MOST_FAULTS = 20;

/** The most text to make a tree of for its places, in UTF-16 units: a tree takes 100 times as much. */
const BIGGEST_TREE = 2_000_000;

/** How a plan is loaded. */
export interface LoadOptions {
  /** The files that the plan names are looked at through this; without it they are not. */
  readonly files?: PlanFiles;
}

/** A plan that can run, perhaps with warnings, or what keeps it from running. */
export interface Loaded {
  /** Undefined when there is an error among the diagnostics. */
  readonly plan: Plan | undefined;
  /** In the order of the text. */
  readonly diagnostics: readonly LocatedDiagnostic[];
}

/** Reads and checks a plan, text or bytes. Whatever they are, this throws nothing. */
export async function loadPlan(
  source: string | Uint8Array,
  options: LoadOptions = {},
): Promise<Loaded> {
  const text = typeof source === "string" ? source : decodePlan(source);
  if (typeof text !== "string") return { plan: undefined, diagnostics: [text] };
  let plan: unknown;
  try {
    plan = parseYaml(text);
  } catch (error) {
    return { plan: undefined, diagnostics: await explain(text, error as Error, options) };
  }
  const found = await check(text, plan, options);
  const diagnostics = found.length > 0
    ? locate(found, await sourceMap(text), new LineIndex(text))
    : [];
  const failed = found.some(({ severity }) => severity === "error");
  return { plan: failed ? undefined : plan as Plan, diagnostics };
}

async function check(text: string, plan: unknown, options: LoadOptions): Promise<Diagnostic[]> {
  const fault = aliasFault(text, plan);
  if (fault) return [fault];
  // Only plans that select in HTML pay for loading what knows how.
  const selectors = /css|xpath/.test(text) ? await import("./selectors.ts") : undefined;
  return checkPlan(plan, { ...options, selectors });
}

/** Why a text is not YAML; when nothing but repeated keys is wrong, also what else the plan has. */
async function explain(
  text: string,
  error: Error,
  options: LoadOptions,
): Promise<LocatedDiagnostic[]> {
  const map = await sourceMap(text);
  const lines = new LineIndex(text);
  if (map === undefined || map.faults.length === 0) return [unexplained(error, lines)];
  const faults = map.faults.map((fault) => ({ ...described(fault), ...lines.place(fault.offset) }));
  if (faults.some(({ code }) => code !== "duplicate-key")) return firstOfLines(faults);
  const plan = parseYaml(text, { allowDuplicateKeys: true });
  return inOrder([...faults, ...locate(await check(text, plan, options), map, lines)]);
}

function described({ code, message }: YamlFault): Diagnostic {
  const fault = { severity: "error", path: [] } as const;
  switch (code) {
    case "DUPLICATE_KEY":
      return { ...fault, code: "duplicate-key", message: "this map has this key already" };
    case "MULTIPLE_DOCS":
      return { ...fault, code: "multiple-documents", message: "a second document: expected one" };
    default:
      return { ...fault, code: "yaml-syntax", message };
  }
}

/** What the reader of values said of a text in which the reader of places sees nothing wrong. */
function unexplained(error: Error, lines: LineIndex): LocatedDiagnostic {
  const [, said, line = "1", column = "1"] = /^([^]*?)(?: at line (\d+), column (\d+)[^]*)?$/.exec(
    error.message,
  )!;
  const deep = error instanceof RangeError;
  return {
    code: deep ? "too-deep" : "yaml-syntax",
    severity: "error",
    path: [],
    message: deep ? `nested too deep: expected at most ${MAX_DEPTH} levels` : said,
    ...lines.place(lines.offset(Number(line), Number(column))),
  };
}

/** One fault a line, and not too many: the first is the cause of most others. */
function firstOfLines(faults: readonly LocatedDiagnostic[]): LocatedDiagnostic[] {
  const lines = new Map(faults.toReversed().map((fault) => [fault.line, fault]));
  return inOrder([...lines.values()]).slice(0, MOST_FAULTS);
}

function locate(
  found: readonly Diagnostic[],
  map: SourceMap | undefined,
  lines: LineIndex,
): LocatedDiagnostic[] {
  return inOrder(found.map((diagnostic) => {
    const { path, atKey, within } = diagnostic;
    return { ...diagnostic, ...lines.place(map?.find(path, atKey, within) ?? 0) };
  }));
}

function inOrder(diagnostics: LocatedDiagnostic[]): LocatedDiagnostic[] {
  return diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** The places of a text, or undefined where it is nested deeper than their reader goes. */
async function sourceMap(text: string): Promise<SourceMap | undefined> {
  if (text.length > BIGGEST_TREE) return new BlockPlaces(text);
  const { mapTree } = await import("./tree_places.ts");
  try {
    return mapTree(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
