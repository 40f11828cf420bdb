import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import * as z from "zod";
import { PLAN_SCHEMA_URL } from "../../../src/base/release.ts";
import { parseYaml } from "../../../src/base/yaml.ts";
import {
  branchFor,
  childSchema,
  type SchemaNode,
  unwrap,
} from "../../../src/plan/values/schema_walk.ts";
import { plan, planJsonSchema } from "../../../src/plan/schema/plan.ts";

const everyKey = parseYaml(
  Deno.readTextFileSync(new URL("../../../testdata/plans/every_key.yaml", import.meta.url)),
);

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
