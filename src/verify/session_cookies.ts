import { parseSetCookies } from "../convert/correlate/cookie_source.ts";
import type { Variable } from "../convert/correlate/correlate.ts";
import { percentDecode } from "../convert/correlate/percent_decode.ts";
import type { Draft } from "../convert/correlate/draft.ts";
import { dynamicBy, isOpaque } from "../convert/correlate/dynamic.ts";
import { SHORTEST_WITHIN } from "../convert/correlate/value_index.ts";

/**
 * Returns the values of server-generated cookies, as written in `Set-Cookie`, with the first call that
 * sets each. Omits values that requests also send elsewhere: these are variables, or from the client.
 */
export function sessionCookies(
  calls: readonly Draft[],
  variables: readonly Variable[],
): Map<string, Draft> {
  const elsewhere = new Set([
    ...calls.flatMap(({ slots }) => slots.map(({ value }) => value)),
    ...variables.map(({ candidate }) => candidate.value),
  ]);
  const cookies = new Map<string, Draft>();
  for (const call of calls) {
    for (const [name, value] of parseSetCookies(call)) {
      const isMade = value.length >= SHORTEST_WITHIN && (dynamicBy(name, value) || isOpaque(value));
      if (!isMade || elsewhere.has(value) || cookies.has(value)) continue;
      if (!elsewhere.has(percentDecode(value, false)?.value ?? value)) cookies.set(value, call);
    }
  }
  return cookies;
}
