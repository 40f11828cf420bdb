import { parseYaml, type YamlOptions } from "../base/yaml.ts";
import { aliasFault } from "./aliases.ts";
import { BlockPlaces } from "./block_places.ts";
import { checkPlan } from "./check.ts";
import { decodePlan } from "./decode_plan.ts";
import type { Diagnostic, LocatedDiagnostic } from "./diagnostic.ts";
import { withDoubles } from "./doubles.ts";
import { LineIndex } from "./line_index.ts";
import type { PlanFiles } from "./files.ts";
import type { Plan } from "./schema/plan.ts";
import type { SourceMap } from "./source_map.ts";
import { describeFaults, unexplained } from "./yaml_faults.ts";

/** The most text to make a tree of for its places, in UTF-16 units: a tree takes 100 times as much. */
const BIGGEST_TREE = 2_000_000;

/** Most diagnostics that are listed: to find the place of each takes time. */
const MAX_DIAGNOSTICS = 100;

/** How a plan is loaded. */
export interface PlanLoadOptions {
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

/** Reads and checks a plan, text or bytes. Whatever they are, only `options.files` can throw. */
export async function loadPlan(
  source: string | Uint8Array,
  options: PlanLoadOptions = {},
): Promise<Loaded> {
  const text = typeof source === "string" ? source : decodePlan(source);
  if (typeof text !== "string") return { plan: undefined, diagnostics: [text] };
  const { value, error } = parsed(text);
  if (error) return { plan: undefined, diagnostics: await explain(text, error, options) };
  const { plan, found } = await check(text, value, options);
  if (found.length === 0) return { plan: plan as Plan, diagnostics: [] };
  // `parsed` refuses repeated keys, so there are none.
  const map = await sourceMap(text, false);
  const lines = new LineIndex(text);
  if (found.every(({ severity }) => severity === "warning")) {
    return { plan: plan as Plan, diagnostics: locate(found, map, lines) };
  }
  // The reader of values is lenient where this one is not (tabs): then that is what is wrong.
  const faults = describeFaults(map, lines, text);
  return { plan: undefined, diagnostics: faults.length > 0 ? faults : locate(found, map, lines) };
}

function parsed(text: string, options?: YamlOptions): { value?: unknown; error?: Error } {
  try {
    return { value: parseYaml(text, options) };
  } catch (error) {
    return { error: error as Error };
  }
}

async function check(
  text: string,
  value: unknown,
  options: PlanLoadOptions,
): Promise<{ plan: unknown; found: Diagnostic[] }> {
  const fault = aliasFault(text, value);
  if (fault) return { plan: value, found: [fault] };
  const plan = withDoubles(value);
  // Only plans that select in HTML pay for loading what knows how.
  const selectors = /css|xpath/.test(text) ? await import("./selectors.ts") : undefined;
  return { plan, found: checkPlan(plan, { ...options, selectors }) };
}

/** Why a text is not YAML; when nothing but repeated keys is wrong, also what else the plan has. */
async function explain(
  text: string,
  error: Error,
  options: PlanLoadOptions,
): Promise<LocatedDiagnostic[]> {
  const lines = new LineIndex(text);
  if (error instanceof RangeError) return [unexplained(error, lines)];
  const map = await sourceMap(text);
  const faults = describeFaults(map, lines, text);
  if (faults.length === 0) return [unexplained(error, lines)];
  if (faults.some(({ code }) => code !== "duplicate-key")) return faults;
  const { value, error: other } = parsed(text, { allowDuplicateKeys: true });
  if (other) return inOrder([...faults, unexplained(other, lines)]);
  const { found } = await check(text, value, options);
  return inOrder([...faults, ...locate(found, map, lines)]);
}

function locate(
  found: readonly Diagnostic[],
  map: SourceMap | undefined,
  lines: LineIndex,
): LocatedDiagnostic[] {
  const { first, more } = limited(found);
  const located = inOrder(first.map((diagnostic) => {
    const { path, atKey, within } = diagnostic;
    return { ...diagnostic, ...lines.place(map?.find(path, atKey, within) ?? 0) };
  }));
  return more === undefined ? located : [...located, { ...more, ...lines.place(0) }];
}

/** The first diagnostics, errors before warnings, and one that counts the others. */
function limited(found: readonly Diagnostic[]): { first: Diagnostic[]; more?: Diagnostic } {
  if (found.length <= MAX_DIAGNOSTICS) return { first: [...found] };
  const isError = ({ severity }: Diagnostic) => severity === "error";
  const ordered = [...found.filter(isError), ...found.filter((one) => !isError(one))];
  const others = ordered.slice(MAX_DIAGNOSTICS);
  const more: Diagnostic = {
    code: "too-many-diagnostics",
    severity: others[0].severity,
    path: [],
    message: `and ${others.length} more errors or warnings, which are not listed`,
    hint: "correct those that are listed, then check again",
  };
  return { first: ordered.slice(0, MAX_DIAGNOSTICS), more };
}

function inOrder(diagnostics: LocatedDiagnostic[]): LocatedDiagnostic[] {
  return diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** The places of a text, or undefined where it is nested deeper than their reader goes. */
async function sourceMap(text: string, uniqueKeys = true): Promise<SourceMap | undefined> {
  if (text.length > BIGGEST_TREE) return new BlockPlaces(text);
  const { mapTree } = await import("./tree_places.ts");
  try {
    return mapTree(text, uniqueKeys);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
