import { plural } from "../../base/format.ts";
import { decodePercent } from "../../base/string_escapes.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import { isAwsSecret, isNamedSecret, shapedSecrets } from "../../traffic/session/secret_names.ts";
import { isStaticAsset } from "../../traffic/static_asset.ts";
import { listed, type Note } from "../notes/notes.ts";

const PARAMETERS: Readonly<Record<SecretKind, string>> = {
  "credentials": "redacted",
  "e-mail addresses": "email",
};

/** Replaces credentials and e-mail addresses with placeholders, one for each value. */
export class Redaction {
  readonly #placeholders: Readonly<Record<SecretKind, Map<string, string>>> = {
    "credentials": new Map(),
    "e-mail addresses": new Map(),
  };

  /** For path parameters that `segmentAs` names, unless the plan reads ids from a file. */
  readonly variables: Readonly<Record<string, string>> = {
    redacted: "redacted",
    email: "user@example.com",
  };

  segmentAs = (segment: string): string | undefined => {
    const kind = kindInSegment(segment);
    if (kind === undefined) return undefined;
    this.#placeholder(kind, decoded(segment));
    return PARAMETERS[kind];
  };

  value(text: string): string {
    const kind = kindInSegment(text);
    return kind === undefined ? text : this.#placeholder(kind, decoded(text));
  }

  path(route: string): string {
    return route.split("/").map((segment) => this.value(segment)).join("/");
  }

  query(query: string): string {
    return query.replace(/(^\?|[&;])([^&;]*)/g, (_, start: string, part: string) => {
      return start + this.#part(part);
    });
  }

  note(): Note | undefined {
    const counts = Object.entries(this.#placeholders).filter(([, { size }]) => size > 0)
      .map(([kind, { size }]) => `${plural(size, "distinct value")} (${kind})`);
    if (counts.length === 0) return undefined;
    return {
      code: "redacted",
      subject: "--redact",
      message:
        `replaced ${counts.join(" and ")} in paths and query strings with placeholders such ` +
        "as `redacted1` and `user1@example.com`; replace them with values that the target accepts",
    };
  }

  #part(part: string): string {
    const { name, value } = parseParameter(part);
    const inName = findSecretKind("", name);
    if (inName !== undefined) return this.#placeholder(inName, part);
    const kind = findSecretKind(name, value);
    if (kind === undefined) return part;
    return part.slice(0, part.indexOf("=") + 1) + this.#placeholder(kind, value);
  }

  #placeholder(kind: SecretKind, value: string): string {
    const known = this.#placeholders[kind];
    const number = known.size + 1;
    const text = known.get(value) ??
      (kind === "credentials" ? `redacted${number}` : `user${number}@example.com`);
    known.set(value, text);
    return text;
  }
}

type SecretKind = "credentials" | "e-mail addresses";

const EMAIL = /[^\s@/?&=,;:<>"']@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/u;

/** Lists parameters with credentials, never values. `source` is their data source. */
export function secretQueries(
  { method, route }: EndpointCount,
  queries: readonly string[],
  source: string,
): Note | undefined {
  const found: Record<SecretKind, Set<string>> = {
    "credentials": new Set(),
    "e-mail addresses": new Set(),
  };
  for (const query of queries) {
    for (const { name, value } of query.slice(1).split(/[&;]/).map(parseParameter)) {
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

/** Warns if paths contain credentials or e-mail addresses. */
export function secretPaths(endpoints: readonly EndpointCount[]): Note | undefined {
  const kinds = endpoints.map(({ route }) => kindInPath(route)).filter((kind) =>
    kind !== undefined
  );
  if (kinds.length === 0) return undefined;
  const what = [...new Set(kinds)].sort().join(" and ");
  return literalSecret("url", `the paths of ${plural(kinds.length, "endpoint")} contain ${what}`);
}

function literalSecret(subject: string, what: string): Note {
  return {
    code: "literal-secret",
    subject,
    message: `${what} as recorded; replace them with \`--redact\` before you share the plan, or ` +
      "exclude the requests with `--exclude`",
  };
}

function findSecretKind(name: string, value: string): SecretKind | undefined {
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

function kindInSegment(segment: string): SecretKind | undefined {
  return findSecretKind("", decoded(segment));
}

/** A parameter without `=` is a value with an empty name. */
function parseParameter(part: string): { readonly name: string; readonly value: string } {
  const text = part.replaceAll("+", " ");
  const at = text.indexOf("=");
  return at < 0
    ? { name: "", value: decoded(text) }
    : { name: decoded(text.slice(0, at)), value: decoded(text.slice(at + 1)) };
}

function decoded(text: string): string {
  return decodePercent(text) ?? text;
}
