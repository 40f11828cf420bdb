import { assert, assertEquals } from "@std/assert";
import { parseYaml } from "../../../src/base/yaml.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import { plan, planJsonSchema } from "../../../src/plan/schema/plan.ts";
import { branchFor, childSchema, type SchemaNode } from "../../../src/plan/values/schema_walk.ts";
import { duration } from "../../../src/plan/values/values.ts";
import { Ajv2020 } from "../../support/ajv.ts";

type Json = { readonly [key: string]: unknown };

/** A key of a map in the JSON Schema. */
interface Property {
  /** JSON Pointer to the schema of the value. */
  readonly at: string;
  readonly schema: Json;
}

const schema = planJsonSchema() as Json;
const properties = [...findProperties(schema, "#")];

Deno.test("every property of the JSON Schema without a fixed set of values has a default or an example", () => {
  assert(properties.length > 500, String(properties.length));
  const missing = properties.filter(({ schema }) =>
    !("default" in schema || "examples" in schema) && isOpen(schema)
  );
  assertEquals(missing.map(({ at }) => at), []);
});

Deno.test("an independent validator accepts every example and default of the JSON Schema", () => {
  const ajv = new Ajv2020(STRICT);
  ajv.addSchema(schema, "plan");
  const wrong: string[] = [];
  let checked = 0;
  for (const { at, schema } of [...properties, ...definitions()]) {
    for (const value of values(schema)) {
      checked++;
      const validate = ajv.getSchema(`plan${at}`)!;
      if (validate(value)) continue;
      wrong.push(`${at}: ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`);
    }
  }
  assertEquals(wrong, []);
  assert(checked > 400, String(checked));
});

Deno.test("the JSON Schema accepts a plan that uses every key, and rejects a misspelled key", () => {
  const validate = new Ajv2020(STRICT).compile(schema);
  assert(validate(everyKey()), JSON.stringify(validate.errors?.slice(0, 3)));
  assert(!validate({ ...everyKey(), scenaros: {} }));
});

Deno.test("validate accepts every example as the value of its key", () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const { path, schema } of places()) {
    for (const value of values(schema)) {
      checked++;
      const changed = everyKey();
      put(changed, path, value);
      const faults = checkPlan(changed).filter(({ severity, code, path: at }) =>
        severity === "error" && !OF_CONTEXT.has(code) && path.every((key, i) => at[i] === key)
      );
      for (const { code, message } of faults) {
        wrong.push(`${path.join(".")}: ${JSON.stringify(value)}: ${code}: ${message}`);
      }
    }
  }
  assertEquals(wrong, []);
  assert(checked > 120, String(checked));
});

/**
 * Codes of errors to ignore, because an example may use names that are undefined at its place in
 * the plan.
 */
const OF_CONTEXT: ReadonlySet<string> = new Set([
  "unknown-variable",
  "variable-too-early",
  "unknown-secret",
  "no-websocket",
]);

/**
 * Ajv options that reject unknown keywords and formats. They disable two style rules, which reject
 * a list of types and a required key in a branch of `oneOf`.
 */
const STRICT = { strict: true, strictTypes: false, strictRequired: false } as const;

const text = Deno.readTextFileSync(
  new URL("../../../testdata/plans/every_key.yaml", import.meta.url),
);

function everyKey(): Record<string, unknown> {
  return structuredClone(parseYaml(text)) as Record<string, unknown>;
}

function* findProperties(node: unknown, at: string): Generator<Property> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === "default" || key === "examples") continue;
    const below = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (key === "properties") {
      for (const [name, schema] of Object.entries(value as Record<string, Json>)) {
        yield { at: `${below}/${name}`, schema };
      }
    }
    yield* findProperties(value, below);
  }
}

function definitions(): Property[] {
  return Object.entries(schema.$defs as Record<string, Json>)
    .map(([name, schema]) => ({ at: `#/$defs/${name}`, schema }));
}

function values({ examples = [], ...schema }: Json): unknown[] {
  return [...examples as unknown[], ...("default" in schema ? [schema.default] : [])];
}

/**
 * Reports whether a schema accepts strings, numbers or names that it does not list. Returns false
 * for a duration, because the definition of durations has examples.
 */
function isOpen(node: Json): boolean {
  if (/\/duration$/.test(String(node.$ref))) return false;
  if (/\/(?:template|json)$/.test(String(node.$ref))) return true;
  if (node.$ref !== undefined || "const" in node || "enum" in node) return false;
  const options = (node.anyOf ?? node.oneOf) as Json[] | undefined;
  if (options !== undefined && node.properties === undefined) return options.some(isOpen);
  if (node.type === "object") return node.properties === undefined;
  if (node.type === "array") return isOpen((node.items ?? {}) as Json);
  return ["string", "number", "integer"].includes(String(node.type));
}

/**
 * For each property that has examples, returns the first path at which it occurs in a sample plan
 * that uses every key. Omits properties that only have the general examples of durations, because
 * other keys determine which durations are valid.
 */
function places(): { readonly path: (string | number)[]; readonly schema: Json }[] {
  const found = new Map<SchemaNode, { path: (string | number)[]; schema: Json }>();
  const visit = (node: SchemaNode, value: unknown, path: (string | number)[]) => {
    const branch = branchFor(node, value);
    if (branch === undefined || typeof value !== "object" || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      const child = childSchema(branch, key);
      if (child === undefined) continue;
      const below = [...path, Array.isArray(value) ? Number(key) : key];
      const meta = (child as { meta?: () => Json }).meta?.();
      const isOwn = meta?.examples !== duration.meta()?.examples;
      if (meta?.examples !== undefined && isOwn && !found.has(child)) {
        found.set(child, { path: below, schema: { examples: meta.examples } });
      }
      visit(child, item, below);
    }
  };
  visit(plan, everyKey(), []);
  return [...found.values()];
}

function put(plan: unknown, path: readonly (string | number)[], value: unknown): void {
  let at = plan as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  at[path.at(-1)!] = structuredClone(value);
}
