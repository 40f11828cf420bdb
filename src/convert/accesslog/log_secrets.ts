import { decodePercent } from "../../base/string_escapes.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_order.ts";
import { isStaticAsset } from "../../traffic/static_asset.ts";
import { isAwsSecret, isNamedSecret, shapedSecrets } from "../../traffic/session/secret_names.ts";
import { listed, type LogNote } from "../notes/note.ts";
import { plural } from "../../base/format.ts";

/** A kind of recorded value that should not appear literally in a plan. */
export type SecretKind = "credentials" | "e-mail addresses";

const EMAIL = /[^\s@/?&=,;:<>"']@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/u;

/**
 * Returns a warning if the kept query strings of an endpoint contain credentials or e-mail
 * addresses, or undefined otherwise. The message lists the affected query parameters but never
 * shows a value. `source` is the name of the plan's data source that contains the query strings.
 */
export function secretQueries(
  { method, route }: EndpointCount,
  queries: readonly string[],
  source: string,
): LogNote | undefined {
  const found: Record<SecretKind, Set<string>> = {
    "credentials": new Set(),
    "e-mail addresses": new Set(),
  };
  for (const query of queries) {
    for (const { name, value } of parseParameters(query)) {
      const inName = findSecretKind("", name);
      if (inName !== undefined) found[inName].add("a parameter name");
      const kind = findSecretKind(name, value);
      if (kind === undefined) continue;
      found[kind].add(name === "" || inName !== undefined ? "an unnamed value" : name);
    }
  }
  const kinds = Object.entries(found).filter(([, names]) => names.size > 0)
    .map(([kind, names]) => `${kind} (${listed([...names])})`);
  if (kinds.length === 0) return undefined;
  const of = kindInPath(route) === undefined ? ` of ${method} ${route}` : "";
  return literalSecret(`data.${source}`, `the query strings${of} contain ${kinds.join(" and ")}`);
}

/**
 * Returns a warning if the paths of a plan's endpoints contain credentials or e-mail addresses, or
 * undefined otherwise.
 */
export function secretPaths(endpoints: readonly EndpointCount[]): LogNote | undefined {
  const kinds = endpoints.map(({ route }) => kindInPath(route)).filter((kind) =>
    kind !== undefined
  );
  if (kinds.length === 0) return undefined;
  const what = [...new Set(kinds)].sort().join(" and ");
  return literalSecret("url", `the paths of ${plural(kinds.length, "endpoint")} contain ${what}`);
}

function literalSecret(subject: string, what: string): LogNote {
  return {
    code: "literal-secret",
    subject,
    message: `${what} as recorded; replace them with \`--redact\` before you share the plan, or ` +
      "exclude the requests with `--exclude`",
  };
}

/**
 * Determines which kind of secret a value is. Returns undefined if it is not a secret. `name` is
 * the name of its parameter, or an empty string.
 */
export function findSecretKind(name: string, value: string): SecretKind | undefined {
  if (isNamedSecret(name, value) || isAwsSecret(value) || shapedSecrets(value).length > 0) {
    return "credentials";
  }
  // `logo@2x.png` and `lib@1.2.min.js` are file names, not addresses.
  const email = EMAIL.exec(value);
  return email === null || isStaticAsset("", email[0]) ? undefined : "e-mail addresses";
}

function kindInPath(route: string): SecretKind | undefined {
  return route.split("/").map(kindInSegment).find((kind) => kind !== undefined);
}

/** Returns the kind of secret in a path segment, or undefined if it contains none. */
export function kindInSegment(segment: string): SecretKind | undefined {
  return findSecretKind("", decoded(segment));
}

interface Parameter {
  readonly name: string;
  readonly value: string;
}

/**
 * Parses a query string that starts with `?`. A parameter without `=` becomes a value with an empty
 * name.
 */
function parseParameters(query: string): Parameter[] {
  return query.slice(1).split(/[&;]/).map((part) => {
    const text = part.replaceAll("+", " ");
    const at = text.indexOf("=");
    return at < 0
      ? { name: "", value: decoded(text) }
      : { name: decoded(text.slice(0, at)), value: decoded(text.slice(at + 1)) };
  });
}

/** Decodes percent-encoded text. Returns the text itself if it is invalid. */
export function decoded(text: string): string {
  return decodePercent(text) ?? text;
}
