import { InputError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redactor.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { planRedactor, type Readers } from "./plan_redactor.ts";

/**
 * Looks up the values of `${env.X}`, `${vars.X}` and `${secrets.X}`, which do not change during a
 * run. The methods throw InputError if a name is not defined.
 */
export interface Constants {
  env(name: string): string;
  /** Returns the value of an environment variable, or undefined if it is not set. */
  optionalEnv(name: string): string | undefined;
  vars(name: string): string;
  secrets(name: string): string;
  /** Redacts the plan's secrets in a string before it is displayed or recorded. */
  readonly hide: Redactor;
}

/**
 * Reads the variables and secrets of a plan. Throws InputError if an environment variable is not
 * set or a file cannot be read.
 */
export function readConstants(plan: Plan, readers: Readers): Constants {
  const place = { source: plan.name ?? "the plan" };
  const env = (name: string) => {
    const value = readers.readEnv(name);
    if (value !== undefined) return value;
    throw new InputError(
      `the plan needs the environment variable ${name}, which is not set`,
      place,
    );
  };
  const vars = mapValues(
    plan.variables ?? {},
    (value) => fill(String(value), env, readers.readEnv),
  );
  const secrets = readSecrets(plan, readers);
  const known = (values: ReadonlyMap<string, string>, kind: string) => (name: string) => {
    const value = values.get(name);
    if (value !== undefined) return value;
    throw new InputError(`the plan uses the ${kind} "${name}" but does not define it`, place);
  };
  return {
    env,
    optionalEnv: readers.readEnv,
    vars: known(vars, "variable"),
    secrets: known(secrets, "secret"),
    hide: planRedactor(plan, readers),
  };
}

function readSecrets(plan: Plan, { readFile, readEnv }: Readers): Map<string, string> {
  return mapValues(plan.secrets ?? {}, (secret, name) => {
    if ("file" in secret) return new TextDecoder().decode(readFile(secret.file)).trimEnd();
    const value = readEnv(secret.env);
    if (value !== undefined) return value;
    throw new InputError(
      `the secret "${name}" cannot be read: the environment variable ${secret.env} is not set`,
      { source: plan.name ?? "the plan" },
    );
  });
}

function fill(
  template: string,
  env: (name: string) => string,
  optionalEnv: (name: string) => string | undefined,
): string {
  return parseTemplate(template).map((part) => {
    if (part.kind === "text") return part.text;
    if (part.kind !== "env") return "";
    return part.default === undefined ? env(part.name) : optionalEnv(part.name) || part.default;
  }).join("");
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A, key: string) => B) {
  return new Map(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
