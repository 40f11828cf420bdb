import { z } from "zod";
import { nearest } from "../../base/nearest.ts";
import type { MapSchema } from "../values/schema_walk.ts";
import type { Choice } from "../values/values.ts";
import { hintForOtherTools } from "./other_tools.ts";
import { describeValue } from "./describe_schema.ts";
import { keyOwners, type Union } from "./union.ts";
import type { CheckContext } from "../rules/check_context.ts";

/** Reports the unknown keys of a map. Returns the known keys of which they are probably misspellings. */
export function reportUnknownKeys(
  context: CheckContext,
  shape: MapSchema["shape"],
  named: Named | undefined,
  map: Record<string, unknown>,
): Set<string> {
  const meant = new Set<string>();
  for (const key of Object.keys(map)) {
    if (Object.hasOwn(shape, key) || map[key] === undefined) continue;
    const known = Object.keys(shape);
    const owners = named ? keyOwners(named.union, key) : [];
    const details = { below: [key], atKey: true };
    if (named && owners.length > 0) {
      const message = `"${key}" belongs to ${owners.join(", ")}, not to ${named.name}`;
      const executor = named.union.discriminator === "executor";
      context.report(executor ? "wrong-executor-key" : "unknown-key", message, details);
      continue;
    }
    const near = nearest(key, known);
    if (near !== undefined) meant.add(near);
    const other = hintForOtherTools(key, known.includes("think_time") && known.includes("request"));
    const hint = near ? `did you mean "${near}"?` : other || `known keys: ${known.join(", ")}`;
    context.report("unknown-key", `unknown key ${JSON.stringify(key)}`, { ...details, hint });
  }
  return meant;
}

/** An option of a discriminated union, and `name`, the value of the discriminator that selects it. */
export interface Named {
  readonly union: Union;
  readonly name: string;
  readonly option: MapSchema;
}

/**
 * Returns the option that the discriminator selects, and reports an invalid discriminator. Returns the
 * most similar option for a misspelled value, or undefined if there is none.
 */
export function checkDiscriminator(
  context: CheckContext,
  union: Union,
  map: Record<string, unknown>,
): Named | undefined {
  const { discriminator, options } = union;
  const names = [...options.keys()];
  const value = Object.hasOwn(map, discriminator) ? map[discriminator] : undefined;
  const below = [discriminator];
  if (value === undefined) {
    const message = `missing key "${discriminator}": expected one of ${names.join(", ")}`;
    const [only, ...others] = Object.keys(map);
    const hint = others.length === 0 && options.has(only)
      ? `write \`{${discriminator}: ${only}, …}\`, with the other keys in the same map`
      : "";
    context.report("missing-key", message, { below, hint });
    return undefined;
  }
  const text = typeof value === "string" ? value : "";
  const name = options.has(text) ? text : nearest(text, names);
  if (name !== value) {
    const message = `expected one of ${names.join(", ")}, found ${describeValue(value)}`;
    const hint = name && `did you mean "${name}"?`;
    context.report("bad-value", message, { below, hint });
  }
  return name === undefined ? undefined : { union, name, option: options.get(name)! };
}

/** Reports keys that exclude each other, or a missing key if at least one of a group is required. */
export function checkChoice(
  context: CheckContext,
  schema: MapSchema,
  map: Record<string, unknown>,
): void {
  const choice = z.globalRegistry.get(schema)?.choose as Choice | undefined;
  if (choice === undefined) return;
  const present = choice.from.filter((key) => map[key] !== undefined);
  const list = choice.from.join(", ");
  const stray = Object.keys(map).some((key) => !Object.hasOwn(schema.shape, key));
  if (present.length < choice.least) {
    if (stray) return; // An unknown key was reported, and is probably a misspelling of one of them.
    const many = choice.most === 1 ? "exactly" : "at least";
    context.report("missing-key", `expected ${many} one of ${list}, found none`);
  } else if (present.length > (choice.most ?? Infinity)) {
    const many = choice.least === 1 ? "exactly" : "at most";
    const message = `expected ${many} one of ${list}, found ${present.join(", ")}`;
    context.report("too-many-keys", message, { below: [present[1]], atKey: true });
  }
}
