import * as z from "zod";
import { ExactNumber, PlainScalar } from "../base/exact_number.ts";
import { describeValue, type Diagnostic } from "./rules/diagnostic.ts";
import { plan as planSchema } from "./schema/plan.ts";
import { MAX_DEPTH } from "./parse_tree.ts";
import {
  branchFor,
  childSchema,
  optionFor,
  ruleOf,
  type SchemaNode,
  unwrap,
} from "./values/schema_walk.ts";
import { exactNumberSchema } from "./values/values.ts";

/**
 * Replaces notations of other tools with our own (`Rule.accept`). Replaces each `PlainScalar` in a
 * plan with its text if the plan sends text, otherwise with its value. Replaces the `ExactNumber`
 * values with JavaScript numbers, except where the plan sends or compares the exact text of a
 * number. Returns the result without changing `plan`. Does not change overlays, because the schema
 * of their values is known only after merging. `report` receives a warning for each value that YAML
 * 1.1 reads differently.
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
    const accept = schema && ruleOf(unwrap(schema))?.accept;
    return inside(accept === undefined ? value : accept(value), schema);
  }

  function inside(value: unknown, schema: SchemaNode | undefined): unknown {
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
 * Whether a number keeps its exact text. Also if the schema accepts none, to show it as written.
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
