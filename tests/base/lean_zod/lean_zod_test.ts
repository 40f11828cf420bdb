// Checks lean schemas against those of zod: the schemas of the plan language, and generated ones.

import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { z as zod } from "zod";
import { z } from "lean-zod";
import * as parts from "../../../src/base/lean_zod/lean_zod_parts.ts";
import { fromZod, toZod } from "../../../src/plan/schema/json_schema.ts";
import { plan } from "../../../src/plan/schema/plan.ts";
import { isScalar, type SchemaNode } from "../../../src/plan/values/schema_walk.ts";

/** Returns `schema`, the schemas that it is derived from, and all schemas nested in it. */
function withParts(schema: SchemaNode, found = new Set<SchemaNode>()): Set<SchemaNode> {
  if (found.has(schema)) return found;
  found.add(schema);
  for (let at = schema._zod.parent; at !== undefined; at = at._zod.parent) found.add(at);
  const { innerType, options = [], element, items = [], valueType, shape } =
    (schema as unknown as parts.ZodType).def;
  const values = Object.values(shape?.() ?? {});
  for (const part of [innerType, ...options, element, ...items, valueType, ...values]) {
    if (part !== undefined) withParts(part as unknown as SchemaNode, found);
  }
  return found;
}

const inPlan = [...withParts(plan)];
const scalars = inPlan.filter(isScalar);

/**
 * Returns `accepted`, the message of a custom or format error, or `rejected` for any other error.
 */
function shown({ error }: ReturnType<typeof zod.safeParse>): string {
  if (error === undefined) return "accepted";
  const { code, message } = error.issues[0];
  return code === "custom" || code === "invalid_format" ? message : "rejected";
}

/** Generates values at and near the limits that schemas set, and arbitrary values. */
const value = fc.oneof(
  fc.constantFrom(...[-1, 0, 0.5, 1, 41, 42, 99, 100, 599, 600, 999, 1000, 1004, 1005, 4999, 5000]),
  fc.constantFrom(2 ** 53 - 1, 2 ** 53, -(2 ** 53), NaN, Infinity, -0),
  fc.constantFrom("", "GET", "get", "2xx", "200-399", "a_b", "1m30s", "-1s", "5", "a", "ab"),
  fc.constantFrom(...scalars.flatMap((one) => {
    const { values = [] } = (one as unknown as parts.ZodType).def;
    return values;
  })),
  fc.constantFrom("x".repeat(41), "x".repeat(42), "\u{1f600}", "\ud800", null, true, false),
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.integer(),
);

Deno.test("each scalar schema of the plan language accepts the same values as its zod equivalent", () => {
  for (const schema of scalars) {
    const real = toZod(schema);
    fc.assert(
      fc.property(value, (value) => {
        assertEquals(shown(z.safeParse(schema, value)), shown(zod.safeParse(real, value)));
      }),
      { numRuns: 20 },
    );
  }
});

Deno.test("schemas of the plan language have the same metadata, parents and optional keys as their zod equivalents", () => {
  for (const schema of inPlan) {
    const real = toZod(schema);
    assertStrictEquals(fromZod(real), schema);
    assertStrictEquals(toZod(schema), real);
    assertEquals(z.globalRegistry.get(schema), zod.globalRegistry.get(real));
    assertEquals(schema._zod.optin, real._zod.optin);
    assertEquals(schema._zod.def.type, real._zod.def.type);
    const parent = schema._zod.parent;
    assertStrictEquals(real._zod.parent, parent && toZod(parent));
  }
});

Deno.test("schemas are instances of the same classes as their zod equivalents", () => {
  const names = Object.keys(parts).filter((name) =>
    name.startsWith("Zod")
  ) as (keyof typeof parts)[];
  for (const schema of inPlan) {
    const real = toZod(schema);
    for (const name of names) {
      // deno-lint-ignore no-explicit-any
      const [lean, full] = [(parts as any)[name], (zod as any)[name]];
      assertEquals(schema instanceof lean, real instanceof full, name);
    }
  }
});

const combined = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<z.ZodType>(
      z.string(),
      z.string().regex(/^a+$/, "only a").max(3),
      z.string().regex(/b/, { error: "with b" }).length(2),
      z.string().refine((text) => text !== "ab", "not ab"),
      z.number(),
      z.number().positive(),
      z.number().min(-1).max(1),
      z.int(),
      z.int().min(1).refine((count) => count !== 7, { error: "not seven" }),
      z.boolean(),
      z.null(),
      z.enum(["a", "ab"]),
      z.literal("a"),
      z.literal(1),
    ),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((options) => z.union(options)),
    tie("schema").map((one) => one.describe("described")),
    tie("schema").map((one) => one.refine((value) => value !== 1, "not one")),
  ),
})).schema;

Deno.test("any combination of scalar schemas accepts the same values as its zod equivalent", () => {
  const text = fc.constantFrom(
    "",
    "a",
    "aa",
    "aaaa",
    "ab",
    "b",
    "bb",
    0,
    1,
    2,
    7,
    0.5,
    -1,
    null,
    true,
  );
  fc.assert(
    fc.property(combined, fc.oneof(text, value), (schema, value) => {
      assertEquals(shown(z.safeParse(schema, value)), shown(zod.safeParse(toZod(schema), value)));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("safeParse rejects schemas for maps, lists and any JSON value", () => {
  for (const schema of [z.strictObject({}), z.array(z.string()), z.json()]) {
    assertThrows(() => z.safeParse(schema, {}), Error, "the schema must accept scalars only");
  }
});

Deno.test("a map schema calls each getter of its shape once, when the schema of a key is first needed", () => {
  let calls = 0;
  const map = z.strictObject({
    get key() {
      calls++;
      return z.string().optional();
    },
  });
  const described = map.describe("a map").extend({ other: z.string() });
  assertEquals(calls, 0);
  assertStrictEquals(described.shape.key, map.shape.key);
  assertEquals([calls, Object.keys(described.shape)], [1, ["key", "other"]]);
});
