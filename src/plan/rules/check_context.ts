import { isMap } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import { RESERVED } from "../expressions/expression.ts";
import type { MetricKind } from "../text/metrics.ts";
import { type Diagnostic, type DiagnosticCode, formatPath, type Path } from "./diagnostic.ts";

/** Paths are as written in the plan, relative to the plan file. */
export interface PlanFiles {
  exists(path: string): boolean;
  /**
   * Returns the first line of a file without its line end. Returns undefined if the file cannot be
   * read.
   */
  firstLine(path: string): string | undefined;
}

/** Optional details of a diagnostic. */
export interface Details {
  /** Path of a value (default: the current path of the context). */
  readonly path?: Path;
  /** Path of the value that the diagnostic is about, relative to `path`. */
  readonly below?: Path;
  readonly hint?: string;
  readonly atKey?: boolean;
  readonly within?: number | undefined;
  readonly severity?: "warning";
}

/** A use of a flow variable, such as `${token}`. */
export interface VariableUse {
  readonly name: string;
  readonly path: Path;
  /** UTF-16 code units in the text at `path`. Undefined reports the start of the value. */
  readonly within: number | undefined;
  /** Whether a step before this use must set the variable, not only a later one. */
  readonly early: boolean;
}

/** State of a plan check: the current path, the names found so far, and the diagnostics. */
export class CheckContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly path: (string | number)[] = [];
  /**
   * Variables that the current flow has set so far, each with the path of the first step that sets
   * it.
   */
  given = new Map<string, Path>();
  /** Variable uses in the current flow that are not preceded by a step that sets the variable. */
  uses: VariableUse[] = [];
  /**
   * Variables that any flow sets, including `setup` and `teardown`, each with the path of a step
   * that sets it.
   */
  readonly everGiven = new Map<string, Path>();
  /** Extracted variables, each with the path of the extractor's `name`. */
  readonly extracted: { readonly name: string; readonly path: Path }[] = [];
  /** Names of all variables that the plan uses, also before they are set. */
  readonly usedNames = new Set<string>();
  /** Variables that the plan's `setup` sets. */
  readonly setupGiven = new Set<string>();
  /** Uses of variables of `setup`, such as `${setup.token}`. */
  readonly setupUses: VariableUse[] = [];
  /** Uses of variables outside flows, such as in default headers. */
  readonly outerUses: VariableUse[] = [];
  /**
   * Columns of each data source examined so far, by the name of the source. Undefined if the
   * columns are unknown.
   */
  readonly columns = new Map<string, readonly string[] | undefined>();
  /** `group` steps around the current path, from the outermost. */
  readonly groups: string[] = [];
  /** `websocket` steps around the current path, from the outermost. */
  readonly sockets: string[] = [];
  /**
   * Tags that samples of the plan can have, with the possible values of each. Empty if the plan has
   * no thresholds, because only their check needs it.
   */
  readonly tagValues = new Map<string, Set<string>>();
  readonly #hasThresholds: boolean;
  readonly ownMetrics = new Map<string, MetricKind>();
  relativeUrls = 0;
  readonly plan: unknown;
  readonly files: PlanFiles | undefined;

  constructor(plan: unknown, files?: PlanFiles) {
    this.plan = plan;
    this.#hasThresholds = isMap(plan) && plan.thresholds !== undefined;
    this.files = files;
  }

  /** Adds a diagnostic about the value at the current path. */
  report(code: DiagnosticCode, message: string, details: Details = {}): void {
    const { path = this.path, below = [], hint, atKey, within, severity = "error" } = details;
    this.diagnostics.push({
      code,
      severity,
      path: [...path, ...below],
      message,
      ...(hint && { hint }),
      ...(atKey && { atKey }),
      ...(within !== undefined && { within }),
    });
  }

  /** Records that samples of the plan can have `value` as the value of `tag`. */
  addTagValue(tag: string, value: unknown): void {
    if (!this.#hasThresholds) return;
    const values = this.tagValues.get(tag);
    if (values) values.add(String(value));
    else this.tagValues.set(tag, new Set([String(value)]));
  }

  /** Calls `action` with `key` appended to the current path. */
  at(key: string | number, action: () => void): void {
    this.path.push(key);
    action();
    this.path.pop();
  }
}

/** Records that the flow sets the variable `name` at the current path. Reports a reserved name. */
export function declareVariable(context: CheckContext, name: string): void {
  declareAt(context, name, [...context.path]);
}

function declareAt(context: CheckContext, name: string, path: Path): void {
  if (RESERVED.has(name)) {
    context.report(
      "reserved-name",
      `"${name}" has a special meaning in \`\${…}\`: choose another name`,
    );
  }
  if (!context.given.has(name)) context.given.set(name, path);
}

/** Records that an extractor sets the variable `name` at the current path. */
export function declareExtracted(context: CheckContext, name: string): void {
  const path = [...context.path];
  declareAt(context, name, path);
  context.extracted.push({ name, path });
}

/** The extractor at the current path has an effect even if no step uses its variable. */
export function keepExtractor(context: CheckContext): void {
  const name = context.extracted.at(-1)?.name;
  if (name !== undefined) context.usedNames.add(name);
}

/**
 * Overlays may use a name in their text. A plan with errors is not checked: its uses may be
 * unknown.
 */
export function warnAboutUnused(context: CheckContext): void {
  if (context.diagnostics.some(({ severity }) => severity === "error")) return;
  const overlays = JSON.stringify(inSection(context.plan, "env"));
  for (const { name, path } of context.extracted) {
    if (context.usedNames.has(name) || overlays.includes(name)) continue;
    context.report("unused-variable", `no step uses \`\${${name}}\``, {
      path,
      hint: "remove the extractor, unless it only tests that the response contains the value",
      severity: "warning",
    });
  }
}

/** Reports each use of a variable of `setup` that no step of `setup` sets. */
export function reportSetupUses(context: CheckContext): void {
  const known = context.setupGiven;
  for (const { name, path, within } of context.setupUses) {
    if (known.has(name)) continue;
    const list = known.size > 0
      ? `\`setup\` sets ${[...known].slice(0, 10).join(", ")}`
      : "the plan has no `setup` that sets variables";
    context.report("unknown-variable", `no step sets \`\${setup.${name}}\`: ${list}`, {
      path,
      within,
      hint: didYouMean(name, known),
    });
  }
}

/** Starts checking a flow. The flow does not share variables with earlier flows. */
export function startFlow(context: CheckContext): void {
  context.outerUses.push(...context.uses);
  context.given = new Map();
  context.uses = [];
}

/** Finishes checking a flow, and reports its invalid uses of variables. */
export function endFlow(context: CheckContext): void {
  reportUses(context, context.uses, context.given);
  context.uses = [];
  for (const [name, path] of context.given) context.everGiven.set(name, path);
}

/**
 * Reports each use of a variable that no step sets. A use whose `early` is true is also reported if
 * only a later step sets the variable. `given` contains all variables that the flow sets.
 */
export function reportUses(
  context: CheckContext,
  uses: readonly VariableUse[],
  given: ReadonlyMap<string, Path>,
): void {
  for (const { name, path, within, early } of uses) {
    const place = given.get(name);
    if (place && !early) continue;
    if (place) {
      const message = `\`\${${name}}\` is used before it is set, at ${formatPath(place)}`;
      context.report("variable-too-early", message, { path, within });
    } else {
      const message =
        `no earlier step sets \`\${${name}}\`: expected an extractor, \`set\` or \`foreach\``;
      const hint = hintFor(context, name, given);
      context.report("unknown-variable", message, { path, within, hint });
    }
  }
}

function hintFor(context: CheckContext, name: string, given: ReadonlyMap<string, Path>): string {
  const declared = (space: string) => Object.keys(inSection(context.plan, space));
  if (declared("variables").includes(name)) return `did you mean \`\${vars.${name}}\`?`;
  if (declared("secrets").includes(name)) return `did you mean \`\${secrets.${name}}\`?`;
  return didYouMean(name, [...given.keys(), ...RESERVED]);
}

/** Empty if the section, such as `variables`, is missing or not a map. */
export function inSection(plan: unknown, key: string): Record<string, unknown> {
  const value = isMap(plan) && Object.hasOwn(plan, key) ? plan[key] : undefined;
  return isMap(value) ? value : {};
}
