import type { Origin } from "../sender.ts";
import { originOf } from "./origin.ts";

/** What a request's URL comes to on the wire. */
export interface Target {
  readonly origin: Origin;
  /** Path and query, percent-encoded, or `*`. */
  readonly target: string;
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
export function resolveUrl(url: string, base: string | undefined): Target {
  const absolute = ABSOLUTE.exec(url);
  if (absolute) return { origin: parseOrigin(absolute[1]), target: encodeTarget(absolute[2]) };
  if (base === undefined) {
    throw new UrlError(
      `the URL "${url}" is relative: give a base URL with --base-url or defaults.http.base_url`,
    );
  }
  const [, start, path] = ABSOLUTE.exec(base) ?? [];
  if (start === undefined) {
    throw new UrlError(
      `the base URL "${base}" is not absolute: it must begin with http:// or https://`,
    );
  }
  const origin = parseOrigin(start);
  if (url === "*") return { origin, target: "*" };
  const folder = path.replace(/[?#].*$/s, "");
  if (url === "" || url.startsWith("?")) return { origin, target: encodeTarget(folder + url) };
  return {
    origin,
    target: encodeTarget(`${folder.replace(/\/$/, "")}/${url.replace(/^\//, "")}`),
  };
}

function parseOrigin(start: string): Origin {
  let origin = origins.get(start);
  if (origin === undefined) {
    const url = URL.parse(start);
    if (url?.username || url?.password) {
      throw new UrlError("the URL has a user name: send it in an Authorization header instead");
    }
    origin = url ? originOf(url) : undefined;
    if (origin === undefined) {
      throw new UrlError(`cannot send to "${start}": it is no valid http:// or https:// address`);
    }
    origins.set(start, origin);
  }
  return origin;
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
