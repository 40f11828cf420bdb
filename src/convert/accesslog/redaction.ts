import { plural } from "../../base/format.ts";
import type { LogNote } from "../notes/note.ts";
import { decoded, findSecretKind, kindInSegment, type SecretKind } from "./log_secrets.ts";

const PARAMETERS: Readonly<Record<SecretKind, string>> = {
  "credentials": "redacted",
  "e-mail addresses": "email",
};

/**
 * Replaces credentials and e-mail addresses in the kept parts of a log with placeholders, for
 * `--redact`. Equal values get the same placeholder, and different values get different ones.
 */
export class Redaction {
  readonly #placeholders: Readonly<Record<SecretKind, Map<string, string>>> = {
    "credentials": new Map(),
    "e-mail addresses": new Map(),
  };

  /**
   * Placeholder values of the path parameters whose names `segmentAs` returns. A plan that reads
   * ids from a file does not use them.
   */
  readonly variables: Readonly<Record<string, string>> = {
    redacted: "redacted",
    email: "user@example.com",
  };

  /**
   * Returns the name of the path parameter that replaces a path segment, or undefined if the
   * segment is not a secret.
   */
  segmentAs = (segment: string): string | undefined => {
    const kind = kindInSegment(segment);
    if (kind === undefined) return undefined;
    this.#placeholder(kind, decoded(segment));
    return PARAMETERS[kind];
  };

  /**
   * Returns the placeholder for the value of a path parameter if the value is a secret, otherwise
   * the value itself.
   */
  value(text: string): string {
    const kind = kindInSegment(text);
    return kind === undefined ? text : this.#placeholder(kind, decoded(text));
  }

  /** Replaces the secrets in a path. */
  path(route: string): string {
    return route.split("/").map((segment) => this.value(segment)).join("/");
  }

  /** Replaces the secrets in a query string that starts with `?`. */
  query(query: string): string {
    return query.replace(/(^\?|[&;])([^&;]*)/g, (_, start: string, part: string) => {
      return start + this.#part(part);
    });
  }

  /** Returns a note on the number of replaced values, or undefined if no value was replaced. */
  note(): LogNote | undefined {
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
    const text = part.replaceAll("+", " ");
    const at = text.indexOf("=");
    const [name, value] = at < 0
      ? ["", decoded(text)]
      : [decoded(text.slice(0, at)), decoded(text.slice(at + 1))];
    const inName = findSecretKind("", name);
    if (inName !== undefined) return this.#placeholder(inName, text);
    const kind = findSecretKind(name, value);
    if (kind === undefined) return part;
    return part.slice(0, at + 1) + this.#placeholder(kind, value);
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
