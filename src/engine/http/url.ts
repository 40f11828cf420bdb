import type { Origin } from "../sender.ts";
import { hidePasswords, percentDecoded } from "../../plan/user_info.ts";
import { toOrigin } from "./origin.ts";

/** What a request's URL comes to on the wire. */
export interface UrlTarget {
  readonly origin: Origin;
  /** Path and query, percent-encoded, or `*`. */
  readonly target: string;
  /** The Authorization header (Basic) of a URL with a user; undefined without one. */
  readonly authorization?: string;
}

/** A URL that nothing can be sent to. */
export class UrlError extends Error {
  override readonly name = "UrlError";
}

const ABSOLUTE = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/is;
const UNFIT = /[^!$-;=?-_a-~]|%(?![0-9A-Fa-f]{2})/;
const ALL_UNFIT = new RegExp(UNFIT, "gu");

const origins = new Map<string, Origin>();

/**
 * Where `url` leads. A relative one is put after `base`, whose path is kept, with one slash between.
 * Beyond `encodeTarget` nothing is changed: `//`, `..` and `%2F` stay as they were recorded.
 * Throws `UrlError`.
 */
export function resolveUrl(url: string, base: string | undefined): UrlTarget {
  const absolute = ABSOLUTE.exec(url);
  if (absolute) return { ...parseOrigin(absolute[1]), target: encodeTarget(absolute[2]) };
  if (base === undefined) {
    throw new UrlError(
      `the URL "${
        hidePasswords(url)
      }" is relative: give a base URL with --base-url or defaults.http.base_url`,
    );
  }
  const [, start, path] = ABSOLUTE.exec(base) ?? [];
  if (start === undefined) {
    throw new UrlError(
      `the base URL "${
        hidePasswords(base)
      }" is not absolute: it must begin with http:// or https://`,
    );
  }
  const origin = parseOrigin(start);
  if (url === "*") return { ...origin, target: "*" };
  const folder = path.replace(/[?#].*$/s, "");
  if (url === "" || url.startsWith("?")) return { ...origin, target: encodeTarget(folder + url) };
  return {
    ...origin,
    target: encodeTarget(`${folder.replace(/\/$/, "")}/${url.replace(/^\//, "")}`),
  };
}

function parseOrigin(start: string): { origin: Origin; authorization?: string } {
  const known = origins.get(start);
  if (known !== undefined) return { origin: known };
  const url = URL.parse(start);
  const origin = url ? toOrigin(url) : undefined;
  if (!url || origin === undefined) {
    const shown = hidePasswords(start);
    throw new UrlError(`cannot send to "${shown}": it is no valid http:// or https:// address`);
  }
  if (url.username || url.password) return { origin, authorization: basic(url) };
  origins.set(start, origin);
  return { origin };
}

function basic({ username, password }: URL): string {
  const credentials = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}

/**
 * Path and query as they may go on the wire: what must not stand there is percent-encoded as UTF-8
 * (space, controls, `"<>` and backtick, non-ASCII, a `%` that encodes nothing), a fragment is
 * dropped. What is encoded already stays as it is.
 */
export function encodeTarget(text: string): string {
  if (text.startsWith("/") && !UNFIT.test(text)) return text;
  const hash = text.indexOf("#");
  const kept = hash < 0 ? text : text.slice(0, hash);
  const rooted = kept.startsWith("/") ? kept : "/" + kept;
  return rooted.toWellFormed().replace(ALL_UNFIT, encodeURIComponent);
}

/** `target` with `pairs` added to its query. */
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
