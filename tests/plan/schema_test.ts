import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import * as z from "zod";
import { PLAN_SCHEMA_URL } from "../../src/base/release.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { checkPlan } from "../../src/plan/check_plan.ts";
import { plan, planJsonSchema } from "../../src/plan/schema/plan.ts";
import {
  branchFor,
  childSchema,
  type SchemaNode,
  unwrap,
} from "../../src/plan/values/schema_walk.ts";
import { duration } from "../../src/plan/values/values.ts";
import { Ajv2020 } from "../support/ajv.ts";

const everyKey = parseYaml(
  Deno.readTextFileSync(new URL("../../testdata/plans/every_key.yaml", import.meta.url)),
) as Record<string, unknown>;

Deno.test("every_key.yaml has every key of the schema", () => {
  const maps = new Set<z.ZodObject>();
  collect(plan, maps);
  const used = new Map<SchemaNode, Set<string>>();
  use(plan, everyKey, used);
  const unused = [...maps].flatMap(({ shape }) =>
    Object.keys(shape).filter((key) => !used.get(shape[key])?.has(key))
  );
  assertEquals(unused, []);
});

/** Adds the schemas of all maps in `schema` to `maps`. */
function collect(schema: SchemaNode, maps: Set<z.ZodObject>): void {
  const node = unwrap(schema);
  if (node instanceof z.ZodObject) {
    if (maps.has(node)) return;
    maps.add(node);
    for (const child of Object.values(node.shape)) collect(child, maps);
  } else if (node instanceof z.ZodUnion) node.options.forEach((option) => collect(option, maps));
  else if (node instanceof z.ZodArray) collect(node.element, maps);
  else if (node instanceof z.ZodRecord) collect(node.valueType as SchemaNode, maps);
}

/**
 * Records the keys in `value`: `used` maps the schema of each key's value to the keys with that
 * schema. If several maps share the schema, the key counts as used in all of them.
 */
function use(schema: SchemaNode, value: unknown, used: Map<SchemaNode, Set<string>>): void {
  const branch = branchFor(schema, value);
  if (branch === undefined || typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const child = childSchema(branch, key);
    if (!child) continue;
    used.set(child, (used.get(child) ?? new Set()).add(key));
    use(child, item, used);
  }
}

Deno.test("the JSON Schema has an id, defaults, examples and a pattern for durations", () => {
  const { $id, $defs, properties } = planJsonSchema();
  assertEquals($id, PLAN_SCHEMA_URL);
  const { properties: { http } } = properties!.defaults as { properties: { http: object } };
  const { properties: { follow_redirects, max_redirects, version } } = http as {
    properties: Record<string, { default?: unknown }>;
  };
  assertEquals([follow_redirects, max_redirects, version].map((key) => key.default), [
    true,
    10,
    "auto",
  ]);
  const { pattern } = $defs!.duration as { pattern: string };
  for (const text of ["300ms", "1m30s", "1.5h", "5", "0.5"]) assertMatch(text, new RegExp(pattern));
  for (const text of ["soon", "5 s", "-1s", ""]) assertNotMatch(text, new RegExp(pattern));
});

Deno.test("every property of the JSON Schema has a description or a reference to a definition", () => {
  const undescribed: string[] = [];
  const search = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return;
    const { properties = {} } = value as { properties?: Record<string, Record<string, unknown>> };
    for (const [key, property] of Object.entries(properties)) {
      if (!("description" in property) && !("$ref" in property)) undescribed.push(`${path}.${key}`);
    }
    for (const [key, member] of Object.entries(value)) search(member, `${path}.${key}`);
  };
  search(planJsonSchema(), "");
  assertEquals(undescribed, []);
});

Deno.test("the JSON Schema states which keys are required and which exclude each other", () => {
  const { $defs, required, additionalProperties } = planJsonSchema();
  assertEquals([required, additionalProperties], [["scenarios"], false]);
  const step = $defs!.step as { oneOf: { required: string[] }[]; properties: object };
  const alone = Object.keys(step.properties).map((key) => ({ required: [key] }));
  assertEquals(step.oneOf, alone);
  assertEquals(JSON.stringify(planJsonSchema()).match(/"(kind|choose|id)":"/g), null);
});

type Json = { readonly [key: string]: unknown };

/** A key of a map in the JSON Schema. */
interface Property {
  /** JSON Pointer to the schema of the value. */
  readonly at: string;
  readonly schema: Json;
}

const schema = planJsonSchema() as Json;
const properties = [...findProperties(schema, "#")];

/**
 * Rejects unknown keywords and formats. Disables two style rules, which reject a list of types and
 * a required key in a branch of `oneOf`.
 */
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
  .addSchema(schema, "plan");

Deno.test("every property of the JSON Schema without a fixed set of values has a default or an example", () => {
  assert(properties.length > 500, String(properties.length));
  const missing = properties.filter(({ schema }) =>
    !("default" in schema || "examples" in schema) && isOpen(schema)
  );
  assertEquals(missing.map(({ at }) => at), []);
});

Deno.test("an independent validator accepts every example and default of the JSON Schema", () => {
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
  const validate = ajv.getSchema("plan")!;
  assert(validate(everyKey), JSON.stringify(validate.errors?.slice(0, 3)));
  assert(!validate({ ...everyKey, scenaros: {} }));
});

Deno.test("validate accepts every example as the value of its key", () => {
  let pending = places().flatMap(({ path, schema }) =>
    values(schema).map((value) => ({ path, value }))
  );
  assert(pending.length > 120, String(pending.length));
  const wrong: string[] = [];
  while (pending.length > 0) {
    // One plan checks all examples that do not replace each other.
    const changed = structuredClone(everyKey);
    const together: typeof pending = [];
    const later: typeof pending = [];
    for (const example of pending) {
      const overlaps = together.some(({ path }) =>
        startsWith(path, example.path) || startsWith(example.path, path)
      );
      (overlaps ? later : together).push(example);
    }
    for (const { path, value } of together) put(changed, path, value);
    for (const { severity, code, message, path: at } of checkPlan(changed)) {
      if (severity !== "error" || OF_CONTEXT.has(code)) continue;
      for (const { path, value } of together.filter(({ path }) => startsWith(at, path))) {
        wrong.push(`${path.join(".")}: ${JSON.stringify(value)}: ${code}: ${message}`);
      }
    }
    pending = later;
  }
  assertEquals(wrong, []);
});

type Path = readonly (string | number)[];

function startsWith(path: Path, start: Path): boolean {
  return start.every((key, i) => path[i] === key);
}

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
  visit(plan, everyKey, []);
  return [...found.values()];
}

function put(plan: unknown, path: readonly (string | number)[], value: unknown): void {
  let at = plan as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  at[path.at(-1)!] = structuredClone(value);
}
