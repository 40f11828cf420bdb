import { httpOrigin } from "../har/http_origin.ts";
import type { Exchange } from "../har/recording.ts";

/** Options that select the calls that a plan sends. An absent or empty option selects all calls. */
export interface CallSelection {
  /**
   * Origins or hosts of the calls to keep, such as `api.example.com`. Must include `:port` unless
   * the port is the default.
   */
  readonly origins?: readonly string[];
  /** Regular expressions. A call is kept only if its URL matches at least one of them. */
  readonly include?: readonly RegExp[];
  /** Regular expressions. A call is excluded if its URL matches at least one of them. */
  readonly exclude?: readonly RegExp[];
  /** If true, calls for static assets are kept. */
  readonly keepStatic?: boolean;
}

/** Reports whether all options except `keepStatic` select a URL. */
export function isSelected(url: string, selection: CallSelection): boolean {
  return isOriginKept(url, selection.origins) && matchesFilters(url, selection);
}

/**
 * Reports whether `origins` contains the origin or host of a URL. If `origins` is undefined,
 * returns true.
 */
export function isOriginKept(url: string, origins: readonly string[] | undefined): boolean {
  if (origins === undefined) return true;
  const { origin, host } = new URL(url);
  return origins.some((one) => [origin, host].includes(one.toLowerCase()));
}

/**
 * Reports whether `include` and `exclude` select a URL. Both are tested against the URL without its
 * fragment.
 */
export function matchesFilters(
  url: string,
  { include = [], exclude = [] }: CallSelection,
): boolean {
  if (include.length === 0 && exclude.length === 0) return true;
  const sent = url.replace(/#.*$/s, "");
  return (include.length === 0 || include.some((pattern) => pattern.test(sent))) &&
    !exclude.some((pattern) => pattern.test(sent));
}

/** Returns the number of calls to each origin, sorted by number of calls, highest first. */
export function countOrigins(exchanges: readonly Exchange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { request } of exchanges) {
    const origin = httpOrigin(request.url);
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
