import * as z from "zod";
import { nearest } from "../base/nearest.ts";
import { STEPS } from "./kinds/steps.ts";
import type { CheckContext } from "./rules/check_context.ts";
import { describeValue } from "./rules/diagnostic.ts";
import { choiceOf, type MapSchema, ruleOf, type SchemaNode, unwrap } from "./values/schema_walk.ts";

/**
 * Reports the keys of `map` that are not in `shape`. Returns the known keys that were probably
 * meant. `named` is the option that the discriminator selects.
 */
export function reportUnknownKeys(
  context: CheckContext,
  shape: MapSchema["shape"],
  named: Named | undefined,
  map: Record<string, unknown>,
): ReadonlySet<string> {
  const meant = new Set<string>();
  for (const key of Object.keys(map)) {
    if (Object.hasOwn(shape, key) || map[key] === undefined) continue;
    if (key === named?.misspelled) continue;
    const known = Object.keys(shape);
    const owners = named ? keyOwners(named.union, key) : [];
    const details = { below: [key], atKey: true };
    if (named && owners.length > 0) {
      const message = `"${key}" belongs to ${owners.join(", ")}, not to ${named.name}`;
      const executor = named.union.discriminator === "executor";
      context.report(executor ? "wrong-executor-key" : "unknown-key", message, details);
      continue;
    }
    const isStep = known.every((name) => Object.hasOwn(STEPS, name));
    const other = hintForOtherTools(key, isStep);
    // `get` is a method, and not a misspelled `set`.
    const near = isStep && METHODS.includes(key) ? undefined : nearest(key, known);
    if (near !== undefined) meant.add(near);
    const hint = near ? `did you mean "${near}"?` : other || `known keys: ${known.join(", ")}`;
    context.report("unknown-key", `unknown key ${JSON.stringify(key)}`, { ...details, hint });
  }
  return meant;
}

/** An option of a discriminated union, with the value of the discriminator that selects it. */
export interface Named {
  readonly union: Union;
  /** Value of the discriminator that selects the option. */
  readonly name: string;
  readonly option: MapSchema;
  /** Misspelled name of the discriminator's key, if it was already reported. */
  readonly misspelled?: string;
}

/**
 * Selects the option of a union. Reports an invalid or missing discriminator, and then returns the
 * option with the most similar name, if any.
 */
export function checkDiscriminator(
  context: CheckContext,
  union: Union,
  map: Record<string, unknown>,
): Named | undefined {
  const { discriminator, options } = union;
  const selected = map[discriminator];
  const option = typeof selected === "string" ? options.get(selected) : undefined;
  if (option !== undefined) return { union, name: selected as string, option };
  const misspelled = map[discriminator] === undefined
    ? Object.keys(map).find((key) =>
      nearest(key, [discriminator]) !== undefined && keyOwners(union, key).length === 0
    )
    : undefined;
  const value = map[misspelled ?? discriminator];
  const below = [misspelled ?? discriminator];
  if (misspelled !== undefined) {
    const hint = `did you mean "${discriminator}"?`;
    const message = `unknown key ${JSON.stringify(misspelled)}`;
    context.report("unknown-key", message, { below, atKey: true, hint });
  }
  if (value === undefined) {
    const names = [...options.keys()].join(", ");
    const message = `missing key "${discriminator}": expected one of ${names}`;
    const [only, ...others] = Object.keys(map);
    const hint = others.length === 0 && options.has(only)
      ? `write \`{${discriminator}: ${only}, …}\`, with the other keys in the same map`
      : "";
    context.report("missing-key", message, { below, hint });
    return undefined;
  }
  const text = typeof value === "string" ? value : "";
  const known = options.get(text);
  if (known !== undefined) return { union, name: text, option: known, misspelled };
  const names = [...options.keys()];
  const name = nearest(text, names);
  if (name !== value) {
    const message = `expected one of ${names.join(", ")}, found ${describeValue(value)}`;
    const hint = name && `did you mean "${name}"?`;
    context.report("bad-value", message, { below, hint });
  }
  return name === undefined ? undefined : { union, name, option: options.get(name)!, misspelled };
}

/** Reports mutually exclusive keys, and groups without a required key. */
export function checkChoice(
  context: CheckContext,
  schema: MapSchema,
  map: Record<string, unknown>,
): void {
  const choice = choiceOf(schema);
  if (choice === undefined) return;
  let count = 0;
  for (const key of choice.from) if (map[key] !== undefined) count++;
  if (count >= choice.least && count <= (choice.most ?? Infinity)) return;
  const present = choice.from.filter((key) => map[key] !== undefined);
  const list = choice.from.join(", ");
  const stray = Object.keys(map).some((key) => !Object.hasOwn(schema.shape, key));
  if (present.length < choice.least) {
    if (stray) return; // The reported unknown key is probably a misspelling of one of them.
    const many = choice.most === 1 ? "exactly" : "at least";
    context.report("missing-key", `expected ${many} one of ${list}, found none`);
  } else {
    const many = choice.least === 1 ? "exactly" : "at most";
    const message = `expected ${many} one of ${list}, found ${present.join(", ")}`;
    context.report("too-many-keys", message, { below: [present[1]], atKey: true });
  }
}

/** Hints for keys that other load-testing tools use, by key. */
const HINTS: Readonly<Record<string, string>> = {
  config: "instead of Artillery's `config`, use `defaults.http.base_url` and an executor",
  phases: "instead of Artillery's `phases`, use the `stages` of `ramping-arrival-rate`",
  before: "put the steps at the start of the `flow` of each scenario",
  options: "instead of k6's `options`, use the top-level keys `scenarios` and `thresholds`",
  vars: "declare plan variables under `variables`",
  assertions: "use `assert` to fail the request, or `checks` to only record the result",
  expect: "use `assert` to fail the request, or `checks` to only record the result",
  capture: "use `extract`",
  think: "use `think_time`",
  sleep: "use `think_time`",
  pause: "use `think_time`",
  wait: "use `think_time`",
  delay: "use `think_time`",
  loop: "use `repeat`, `while` or `foreach`",
  sequence: "list the steps directly, or put them in a `group`",
};

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"];

/**
 * For a key that another load-testing tool uses, otherwise empty. `isStep`: the key is in a step.
 */
function hintForOtherTools(key: string, isStep: boolean): string {
  if (isStep && METHODS.includes(key)) {
    return `write \`request: {method: ${key.toUpperCase()}, url: …}\``;
  }
  if (isStep && key === "url") return "put it under `request`";
  return Object.hasOwn(HINTS, key) ? HINTS[key] : "";
}

/** A discriminated union of map schemas. */
export interface Union {
  /** Key whose value selects an option, such as `type`. */
  readonly discriminator: string;
  /** The map schemas, by the value of the discriminator that selects them. */
  readonly options: ReadonlyMap<string, MapSchema>;
}

/** The discriminated union in `schema` that has `branch` as an option. */
export function unionFor(schema: SchemaNode, branch: MapSchema): Union | undefined {
  const union = findUnion(unwrap(schema));
  return union && Object.hasOwn(branch.shape, union.discriminator) ? union : undefined;
}

function keyOwners(union: Union, key: string): string[] {
  return [...union.options].filter(([, { shape }]) => Object.hasOwn(shape, key))
    .map(([name]) => name);
}

function findUnion(schema: SchemaNode): Union | undefined {
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator, options } = schema.def;
    const named = (options as MapSchema[]).map((option) => {
      const literal = option.shape[discriminator] as z.ZodLiteral;
      return [String(literal.value), option] as const;
    });
    return { discriminator, options: new Map(named) };
  }
  if (!(schema instanceof z.ZodUnion)) return undefined;
  for (const option of schema.options) {
    const union = findUnion(option);
    if (union) return union;
  }
  return undefined;
}

/**
 * Describes the values that a schema accepts, in words that can follow "expected", such as `a whole
 * number of at least 1`.
 */
export function describeSchema(schema: SchemaNode): string {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: SchemaNode;
    options?: readonly SchemaNode[];
  };
  if (def.innerType) return describeSchema(def.innerType);
  const { expected } = ruleOf(schema) ?? {};
  if (expected !== undefined) return expected;
  if (def.options) return [...new Set(def.options.map(describeSchema))].join(" or ");
  switch (def.type) {
    case "string":
      return "text";
    case "number":
      return describeNumber(schema as z.ZodNumber);
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "enum":
      return `one of ${(schema as z.ZodEnum).options.join(", ")}`;
    case "literal":
      return [...(schema as z.ZodLiteral).values].join(" or ");
    case "array":
      return "a list";
    case "tuple":
      return "a list of length 2";
    case "object":
    case "record":
      return "a map";
    default:
      return "a value";
  }
}

function describeNumber(schema: z.ZodNumber): string {
  const noun = schema.isInt ? "a whole number" : "a number";
  for (const check of schema.def.checks ?? []) {
    const rule = check._zod.def as { check: string; value?: number; inclusive?: boolean };
    if (rule.check !== "greater_than") continue;
    return rule.inclusive ? `${noun} of at least ${rule.value}` : `${noun} above ${rule.value}`;
  }
  return noun;
}
