import { InputError } from "../../base/errors.ts";
import { createRedactor, type Redactor } from "../../base/redactor.ts";
import { allFlows, listConnections } from "../../plan/kinds/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { headerCredentials, urlPasswords } from "../../plan/targets.ts";
import { literalText, parseTemplate } from "../../plan/text/template.ts";
import { isNamedSecret, mayNameSecret } from "../../traffic/session/secret_names.ts";

/** Values that do not change during a run. Throws InputError if a name is not defined. */
export interface Constants {
  env(name: string): string;
  optionalEnv(name: string): string | undefined;
  vars(name: string): string;
  secrets(name: string): string;
  readonly hide: Redactor;
}

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

/** Value that looks like a token, to find the names whose values are credentials. */
const MADE = "a1b2c3d4";
/** Minimum length of a host that is hidden. A shorter one would often match other text. */
const SHORTEST_HOST = 4;

export interface Readers {
  /**
   * Reads a file. The path is as written in the plan. Throws InputError if the file cannot be read.
   */
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
}

/**
 * Creates a function that hides the secrets of a plan: those that it declares, passwords in its
 * URLs, credentials in its headers, and the environment variables and variables whose names are
 * those of credentials. Ignores what cannot be read, because a run cannot print it either.
 */
export function planRedactor(plan: Plan, { readFile, readEnv }: Readers): Redactor {
  const declared = Object.entries(plan.secrets ?? {}).map(([name, secret]) =>
    [`secrets.${name}`, "env" in secret ? readEnv(secret.env) : readText(secret.file)] as const
  );
  const used = JSON.stringify(plan).matchAll(/\benv\.(\w+)/g);
  const env = Array.from(used, ([reference, name]) => {
    const value = mayNameSecret(name) ? readEnv(name) : undefined;
    const isSecret = isNamedSecret(name, value ?? "") || isNamedSecret(name, MADE);
    return [reference, isSecret ? value : undefined] as const;
  });
  const variables = Object.entries(plan.variables ?? {}).map(([name, value]) => {
    const text = literalText(String(value)) ?? "";
    return [`vars.${name}`, isNamedSecret(name, text) ? text : undefined] as const;
  });
  const flows = allFlows(plan).flatMap((flow) => [...listConnections(flow)]);
  const urls = [plan.defaults?.http?.base_url ?? "", ...flows.map(({ url }) => url)];
  const all = urls.join();
  const origins = urls.map((url) => /^(?:\w+:\/\/)?[^/?#]*/.exec(url)![0]).join();
  const values = [...declared, ...env, ...variables].flatMap(([reference, value = ""]) => [
    value,
    ...(all.includes(reference) ? partsOfUrl(value) : []),
    ...(origins.includes(reference) ? partsOfUrl(value.replace(/^(\w+:\/\/)?[^/]*@/, "")) : []),
  ]);
  return createRedactor([...urlPasswords(plan), ...headerCredentials(plan), ...values]);

  function readText(path: string): string | undefined {
    try {
      return new TextDecoder().decode(readFile(path));
    } catch {
      return undefined;
    }
  }
}

function partsOfUrl(secret: string): string[] {
  const text = secret.replace(/^\w+:\/\//, "").replace(/^[^/]*:[^/]*@/, "");
  // An e-mail address, whose domain may be that of the target.
  if (text.includes("@")) return [];
  return [text, URL.parse(`http://${text}`)?.hostname ?? "", /^[^/?#]*/.exec(text)![0]]
    .filter(({ length }) => length >= SHORTEST_HOST);
}
