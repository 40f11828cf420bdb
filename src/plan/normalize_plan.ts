import * as z from "zod";
import { ExactNumber, isMap, PlainScalar } from "../base/exact_number.ts";
import { describeValue, type Diagnostic } from "./rules/diagnostic.ts";
import { plan as planSchema } from "./schema/plan.ts";
import { MAX_DEPTH } from "./source/parse_tree.ts";
import {
  branchFor,
  childSchema,
  optionFor,
  type SchemaNode,
  unwrap,
} from "./values/schema_walk.ts";
import { exactNumberSchema } from "./values/values.ts";

/**
 * Replaces each `PlainScalar` in a plan with its text if the plan sends text, otherwise with its
 * value. Replaces the `ExactNumber` values with JavaScript numbers, except where the plan sends or
 * compares the exact text of a number. Returns the result without changing `plan`. Overlays stay as
 * they are, because the schema of their values is known only after merging. `report` receives a
 * warning for each value that YAML 1.1 reads differently.
 */
export function withDoubles(plan: unknown, report?: (warning: Diagnostic) => void): unknown {
  const path: (string | number)[] = [];
  return convert(plan, planSchema);

  function convert(value: unknown, schema: SchemaNode | undefined): unknown {
    if (value instanceof PlainScalar) {
      if (schema !== undefined && sendsText(schema, value)) return value.written;
      if (value.isAmbiguous) report?.(warningAbout(value, [...path]));
      return convert(value.value, schema);
    }
    if (value instanceof ExactNumber) {
      return schema === undefined || isKept(schema, value) ? value : Number(value.text);
    }
    if (typeof value !== "object" || value === null || path.length > MAX_DEPTH) return value;
    if (path.length === 1 && path[0] === "env") return value;
    const branch = schema && branchFor(schema, value);
    if (schema !== undefined && branch === undefined) return value;
    const isAny = branch === undefined || isJson(branch);
    const map = value as Record<string, unknown>;
    let copy: typeof map | undefined;
    for (const key of Object.keys(map)) {
      const child = isAny ? undefined : childSchema(branch, key);
      if (child === undefined && !isAny) continue;
      path.push(Array.isArray(value) ? Number(key) : key);
      const member = convert(map[key], child);
      path.pop();
      if (member === map[key]) continue;
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as typeof map;
      copy[key] = member;
    }
    return copy ?? value;
  }
}

function sendsText(schema: SchemaNode, { written, value }: PlainScalar): boolean {
  const branch = branchFor(schema, written);
  if (branch === undefined || isJson(branch)) return false;
  return typeof value === "string" ||
    branch instanceof z.ZodUnion && branch.options.some((one) => one === exactNumberSchema);
}

function warningAbout({ written, value }: PlainScalar, path: Diagnostic["path"]): Diagnostic {
  return {
    code: "yaml-version",
    severity: "warning",
    path,
    message: `\`${written}\` is ${describeValue(value)} in YAML 1.2, but not in YAML 1.1`,
    hint: typeof value === "string"
      ? "put it in quotes"
      : `write \`${value}\`, or put it in quotes if it is text`,
  };
}

/**
 * Reports whether a number with this schema keeps its exact text. Also returns true if the schema
 * does not accept numbers, so that error messages show the number as written.
 */
function isKept(schema: SchemaNode, value: ExactNumber): boolean {
  const branch = branchFor(schema, value);
  if (branch === undefined) return true;
  const option = unwrap(optionFor(branch, value) ?? branch);
  return isJson(option) || option === exactNumberSchema;
}

function isJson(schema: SchemaNode): boolean {
  return schema instanceof z.ZodLazy;
}

/** Name of a key in the tool loadr and the name that plans use, keyed by the kind of step. */
const STEP_ALIASES: ReadonlyMap<string, readonly [alias: string, name: string]> = new Map([
  ["foreach", ["var", "as"]],
  ["retry", ["times", "attempts"]],
]);

/**
 * Converts a plan that uses the notation of the tool loadr to rehearse's own. `foreach.var` becomes
 * `foreach.as`, `retry.times` becomes `retry.attempts`, and a threshold that is a single string
 * becomes a list. In a threshold, `slo(99%)` becomes `p(99)`. Returns the result without changing
 * `plan`. If a step has both names of a key, keeps both, so that the check reports one of them.
 */
export function resolveAliases(plan: unknown): unknown {
  return mapMembers(plan, (value, key) => {
    if (key === "setup" || key === "teardown") return inSteps(value);
    if (key === "thresholds") return mapMembers(value, inThresholds);
    if (key === "env") return mapMembers(value, resolveAliases);
    if (key !== "scenarios") return value;
    return mapMembers(
      value,
      (scenario) => mapMembers(scenario, (flow, key) => key === "flow" ? inSteps(flow) : flow),
    );
  });
}

function inThresholds(thresholds: unknown): unknown {
  if (typeof thresholds === "string") return [inExpression(thresholds)];
  return mapMembers(
    thresholds,
    (item) =>
      mapMembers(
        inExpression(item),
        (value, key) => key === "threshold" ? inExpression(value) : value,
      ),
  );
}

function inExpression(expression: unknown): unknown {
  if (typeof expression !== "string") return expression;
  return expression.replace(/^\s*slo\(\s*(\d+(?:\.\d+)?)\s*%?\s*\)/, "p($1)");
}

function inSteps(steps: unknown): unknown {
  if (!Array.isArray(steps)) return steps;
  return mapMembers(
    steps,
    (step) =>
      Array.isArray(step)
        ? inSteps(step)
        : mapMembers(step, (value, kind) => renamed(inLists(value), STEP_ALIASES.get(kind))),
  );
}

const LISTS = ["steps", "then", "else", "branches"];

function inLists(value: unknown): unknown {
  if (!isMap(value)) return value;
  return mapMembers(value, (member, key) => {
    if (LISTS.includes(key)) return inSteps(member);
    return key === "choices" ? mapMembers(member, inLists) : member;
  });
}

function renamed(value: unknown, names: readonly [string, string] | undefined): unknown {
  if (names === undefined || !isMap(value)) return value;
  const [alias, name] = names;
  if (value[alias] === undefined || value[name] !== undefined) return value;
  const { [alias]: given, ...rest } = value;
  return { [name]: given, ...rest };
}

/**
 * Returns a copy of a map or list with each value replaced by the result of `change`. Returns the
 * argument itself if no value changes, or if it is neither a map nor a list.
 */
function mapMembers(value: unknown, change: (member: unknown, key: string) => unknown): unknown {
  if (!Array.isArray(value) && !isMap(value)) return value;
  const members = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(members)) {
    const member = change(members[key], key);
    if (member === members[key]) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[key] = member;
  }
  return copy ?? value;
}
