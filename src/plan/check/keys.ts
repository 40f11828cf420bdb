import { z } from "zod";
import { nearest } from "../../base/nearest.ts";
import type { MapSchema } from "../schema/branch.ts";
import type { Choice } from "../schema/values.ts";
import { hintForOtherTools } from "./other_tools.ts";
import { describeValue } from "./describe_schema.ts";
import { keyOwners, type Union } from "./union.ts";
import type { CheckContext } from "./check_context.ts";

/** Reports the keys that do not belong here; gives those that they were evidently meant to be. */
export function reportUnknownKeys(
  walk: CheckContext,
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
      const message = `"${key}" is a key of ${owners.join(", ")}, not of ${named.name}`;
      const executor = named.union.discriminator === "executor";
      walk.report(executor ? "wrong-executor-key" : "unknown-key", message, details);
      continue;
    }
    const near = nearest(key, known);
    if (near !== undefined) meant.add(near);
    const other = hintForOtherTools(key, known.includes("think_time") && known.includes("request"));
    const hint = near ? `did you mean "${near}"?` : other || `known here: ${known.join(", ")}`;
    walk.report("unknown-key", `unknown key ${JSON.stringify(key)}`, { ...details, hint });
  }
  return meant;
}

/** The option that a discriminator names. */
export interface Named {
  readonly union: Union;
  readonly name: string;
  readonly option: MapSchema;
}

/** The option that the discriminator names or nearly names; reports one that names none. */
export function checkDiscriminator(
  walk: CheckContext,
  union: Union,
  map: Record<string, unknown>,
): Named | undefined {
  const { discriminator, options } = union;
  const names = [...options.keys()];
  const said = Object.hasOwn(map, discriminator) ? map[discriminator] : undefined;
  const below = [discriminator];
  if (said === undefined) {
    const message = `missing key "${discriminator}": expected one of ${names.join(", ")}`;
    const [only, ...others] = Object.keys(map);
    const hint = others.length === 0 && options.has(only)
      ? `write \`{${discriminator}: ${only}, …}\`, with the other keys in the same map`
      : "";
    walk.report("missing-key", message, { below, hint });
    return undefined;
  }
  const text = typeof said === "string" ? said : "";
  const name = options.has(text) ? text : nearest(text, names);
  if (name !== said) {
    const message = `expected one of ${names.join(", ")}, found ${describeValue(said)}`;
    const hint = name && `did you mean "${name}"?`;
    walk.report("bad-value", message, { below, hint });
  }
  return name === undefined ? undefined : { union, name, option: options.get(name)! };
}

/** Reports keys that stand together and must not, or the lack of one that must be there. */
export function checkChoice(
  walk: CheckContext,
  schema: MapSchema,
  map: Record<string, unknown>,
): void {
  const choice = z.globalRegistry.get(schema)?.choose as Choice | undefined;
  if (choice === undefined) return;
  const there = choice.from.filter((key) => map[key] !== undefined);
  const of = choice.from.join(", ");
  const stray = Object.keys(map).some((key) => !Object.hasOwn(schema.shape, key));
  if (there.length < choice.least) {
    if (stray) return; // reported, and evidently meant to be one of them
    const many = choice.most === 1 ? "exactly" : "at least";
    walk.report("missing-key", `expected ${many} one of ${of}, found none`);
  } else if (there.length > (choice.most ?? Infinity)) {
    const many = choice.least === 1 ? "exactly" : "at most";
    const message = `expected ${many} one of ${of}, found ${there.join(", ")}`;
    walk.report("too-many-keys", message, { below: [there[1]], atKey: true });
  }
}
