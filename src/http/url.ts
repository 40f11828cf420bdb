import { decodePercent } from "../base/string_escapes.ts";
import { hidePasswords } from "../plan/text/user_info.ts";
import type { Origin } from "./sender.ts";

/** Parts of a URL that are needed to send a request. */
export interface UrlTarget {
  readonly origin: Origin;
  /** Path and query, percent-encoded, or `*` for OPTIONS. */
  readonly target: string;
  readonly authorization?: string;
}

/** Error for a URL to which no request can be sent. */
export class UrlError extends Error {
  override readonly name = "UrlError";
}

const ABSOLUTE = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/is;
/** Matches a character that a browser percent-encodes in a path. A query may contain backticks. */
const UNSAFE = /[^!$-;=?-_a-~]/;
const ALL_UNSAFE = new RegExp(UNSAFE, "gu");
const UNSAFE_IN_QUERY = /[^!$-;=?-~]/gu;

const origins = new Map<string, Origin>();

/**
 * Appends a relative URL to the path of `base`, with one slash in between unless it is empty or
 * starts with `?`. `*` becomes the target `*`. `//`, `..` and `%2F` stay unchanged. Throws
 * `UrlError`, whose message contains `shown`, the templates of both, because values can be secrets.
 */
export function resolveUrl(
  url: string,
  base: string | undefined,
  shown: { readonly url: string; readonly base?: string } = { url, base },
): UrlTarget {
  const absolute = ABSOLUTE.exec(url);
  if (absolute) {
    return { ...parseOrigin(absolute[1], shown.url), target: encodeTarget(absolute[2]) };
  }
  if (base === undefined) {
    throw new UrlError(
      `the URL "${
        hidePasswords(shown.url)
      }" is relative: set a base URL with \`--base-url\` or \`defaults.http.base_url\``,
    );
  }
  const [, start, path] = ABSOLUTE.exec(base) ?? [];
  if (start === undefined) {
    throw new UrlError(
      `the base URL "${
        hidePasswords(shown.base ?? base)
      }" is not absolute: it must start with http:// or https://`,
    );
  }
  const origin = parseOrigin(start, shown.base ?? base);
  if (url === "*") return { ...origin, target: "*" };
  const folder = path.replace(/[?#].*$/s, "");
  if (url === "" || url.startsWith("?")) return { ...origin, target: encodeTarget(folder + url) };
  return {
    ...origin,
    target: encodeTarget(`${folder.replace(/\/$/, "")}/${url.replace(/^\//, "")}`),
  };
}

function parseOrigin(start: string, shown: string): { origin: Origin; authorization?: string } {
  const known = origins.get(start);
  if (known !== undefined) return { origin: known };
  const url = URL.parse(start);
  const origin = url ? toOrigin(url) : undefined;
  if (!url || origin === undefined) {
    throw new UrlError(
      `cannot send to "${hidePasswords(shown)}": it is not a valid http:// or https:// URL`,
    );
  }
  if (url.username || url.password) return { origin, authorization: basic(url) };
  origins.set(start, origin);
  return { origin };
}

/** Returns an Authorization header's value (Basic) with a URL's user name and password. */
export function basic({ username, password }: URL): string {
  const [user, secret] = [username, password].map((text) => decodePercent(text) ?? text);
  const credentials = `${user}:${secret}`;
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}

/**
 * Percent-encodes, as UTF-8, spaces, control characters, `"<>`, non-ASCII characters, and backticks
 * in the path. Keeps each `%` as browsers do, adds a leading `/`, and removes the fragment.
 */
export function encodeTarget(text: string): string {
  if (text.startsWith("/") && !UNSAFE.test(text)) return text;
  const hash = text.indexOf("#");
  const kept = hash < 0 ? text : text.slice(0, hash);
  const rooted = (kept.startsWith("/") ? kept : "/" + kept).toWellFormed();
  const mark = rooted.indexOf("?");
  const end = mark < 0 ? rooted.length : mark;
  return rooted.slice(0, end).replace(ALL_UNSAFE, encodeURIComponent) +
    rooted.slice(end).replace(UNSAFE_IN_QUERY, encodeURIComponent);
}

/** Returns `target` with `pairs` appended to its query. */
export function addParams(target: string, pairs: readonly (readonly [string, string])[]): string {
  let query = "";
  for (const [name, value] of pairs) {
    query += `&${encodeURIComponent(name.toWellFormed())}=${
      encodeURIComponent(value.toWellFormed())
    }`;
  }
  if (query === "") return target;
  const mark = target.indexOf("?");
  if (mark < 0) return `${target}?${query.slice(1)}`;
  return target + (/[?&]$/.test(target) ? query.slice(1) : query);
}

const known = new Map<string, Origin>();

/** Returns the `Origin` object for a scheme, host and port: always the same one. */
export function internOrigin(secure: boolean, host: string, port: number): Origin {
  const key = `${secure ? "https" : "http"}://${host}:${port}`;
  let origin = known.get(key);
  if (origin === undefined) {
    const isDefault = port === (secure ? 443 : 80);
    origin = {
      secure,
      host: host.replace(/^\[(.*)\]$/, "$1"),
      port,
      authority: isDefault ? host : `${host}:${port}`,
    };
    known.set(key, origin);
  }
  return origin;
}

/** Returns the origin of a parsed URL, or undefined if its scheme is not `http:` or `https:`. */
export function toOrigin({ protocol, hostname, port }: URL): Origin | undefined {
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const secure = protocol === "https:";
  return internOrigin(secure, hostname, port === "" ? (secure ? 443 : 80) : Number(port));
}
