import { parseYaml, type YamlOptions } from "../base/yaml.ts";
import { withDoubles } from "./normalize_plan.ts";
import { checkPlan } from "./check_plan.ts";
import type { PlanFiles } from "./rules/check_context.ts";
import { type Diagnostic, LineIndex, type LocatedDiagnostic } from "./rules/diagnostic.ts";
import type { Plan } from "./schema/plan.ts";
import {
  aliasFault,
  decodePlan,
  describeFaults,
  mapTree,
  type SourceMap,
  unexplained,
} from "./parse_tree.ts";

/**
 * Maximum length, in UTF-16 code units, of a plan's text in which places of diagnostics are found.
 * This needs a syntax tree, which takes about 100 times as much memory as its text.
 */
const MAX_TREE_TEXT = 4_000_000;

/** Maximum number of diagnostics to list. Limited because finding their positions takes time. */
const MAX_DIAGNOSTICS = 100;

/** Options for `loadPlan`. */
export interface PlanLoadOptions {
  /** Access to the files that the plan refers to. If absent, files are not checked. */
  readonly files?: PlanFiles;
}

/** The result of `loadPlan`: a plan, or the errors that prevent it from running. */
export interface Loaded {
  /** The plan. Undefined if at least one diagnostic is an error. */
  readonly plan: Plan | undefined;
  /** Errors and warnings, sorted by their position in the text. */
  readonly diagnostics: readonly LocatedDiagnostic[];
}

/**
 * Parses and checks a YAML plan. Reports invalid YAML and invalid UTF-8 as diagnostics. Throws only
 * if `options.files` throws.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { loadPlan } from "./load_plan.ts";
 *
 * const { plan, diagnostics } = loadPlan(`
 * scenarios:
 *   main:
 *     executor: constant-vus
 *     vus: 2
 *     duration: 10s
 *     flow:
 *       - request: {url: "https://shop.example/"}
 * `);
 * assertEquals(plan?.scenarios.main.executor, "constant-vus");
 * assertEquals(diagnostics, []);
 *
 * const { diagnostics: [error] } = loadPlan("scenarios: {}");
 * assertEquals([error.code, error.line], ["no-scenarios", 1]);
 * ```
 */
export function loadPlan(
  source: string | Uint8Array,
  options: PlanLoadOptions = {},
): Loaded {
  const text = typeof source === "string" ? source : decodePlan(source);
  if (typeof text !== "string") return { plan: undefined, diagnostics: [text] };
  const { value, error } = tryParse(text);
  if (error) return { plan: undefined, diagnostics: explain(text, error, options) };
  const { plan, found } = check(text, value, options);
  if (found.length === 0) return { plan: plan as Plan, diagnostics: [] };
  const lines = new LineIndex(text);
  // `tryParse` rejects repeated keys, so the source map does not need to check for them.
  const map = sourceMap(text, false);
  if (found.every(({ severity }) => severity === "warning")) {
    return { plan: plan as Plan, diagnostics: locate(found, map, lines) };
  }
  // `parseYaml` accepts tabs as indentation; the tree parser does not. Report only its faults, if
  // any.
  const faults = describeFaults(map, lines, text);
  return { plan: undefined, diagnostics: faults.length > 0 ? faults : locate(found, map, lines) };
}

function tryParse(text: string, options?: YamlOptions): { value?: unknown; error?: Error } {
  try {
    return { value: parseYaml(text, { ...options, keepPlain: true }) };
  } catch (error) {
    return { error: error as Error };
  }
}

function check(
  text: string,
  value: unknown,
  options: PlanLoadOptions,
): { plan: unknown; found: Diagnostic[] } {
  const fault = aliasFault(text, value);
  if (fault) return { plan: value, found: [fault] };
  const found: Diagnostic[] = [];
  const plan = withDoubles(value, (warning) => found.push(warning));
  return { plan, found: [...found, ...checkPlan(plan, options)] };
}

function explain(
  text: string,
  error: Error,
  options: PlanLoadOptions,
): LocatedDiagnostic[] {
  const lines = new LineIndex(text);
  if (error instanceof RangeError) return [unexplained(error, lines)];
  const map = sourceMap(text);
  const faults = describeFaults(map, lines, text);
  if (faults.length === 0) return [unexplained(error, lines)];
  if (faults.some(({ code }) => code !== "duplicate-key")) return faults;
  const { value, error: other } = tryParse(text, { allowDuplicateKeys: true });
  if (other) return sortByPosition([...faults, unexplained(other, lines)]);
  const { found } = check(text, value, options);
  return sortByPosition([...faults, ...locate(found, map, lines)]);
}

function locate(
  found: readonly Diagnostic[],
  map: SourceMap | undefined,
  lines: LineIndex,
): LocatedDiagnostic[] {
  const { first, more } = firstDiagnostics(found);
  const located = sortByPosition(first.map((diagnostic) => {
    const { path, atKey, within } = diagnostic;
    return { ...diagnostic, ...lines.place(map?.find(path, atKey, within) ?? 0) };
  }));
  return more === undefined ? located : [...located, { ...more, ...lines.place(0) }];
}

function firstDiagnostics(
  found: readonly Diagnostic[],
): { first: Diagnostic[]; more?: Diagnostic } {
  if (found.length <= MAX_DIAGNOSTICS) return { first: [...found] };
  const isError = ({ severity }: Diagnostic) => severity === "error";
  const ordered = [...found.filter(isError), ...found.filter((one) => !isError(one))];
  const others = ordered.slice(MAX_DIAGNOSTICS);
  const more: Diagnostic = {
    code: "too-many-diagnostics",
    severity: others[0].severity,
    path: [],
    message: `${others.length} more errors or warnings are not listed`,
    hint: "fix the listed ones, then check the plan again",
  };
  return { first: ordered.slice(0, MAX_DIAGNOSTICS), more };
}

function sortByPosition(diagnostics: LocatedDiagnostic[]): LocatedDiagnostic[] {
  return diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
}

/**
 * Maps the values in YAML text to their offsets. Returns undefined if the text is too long or
 * nested too deeply. Treats repeated keys as syntax errors unless `uniqueKeys` is false.
 */
function sourceMap(text: string, uniqueKeys = true): SourceMap | undefined {
  if (text.length > MAX_TREE_TEXT) return undefined;
  try {
    return mapTree(text, uniqueKeys);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
