import { parseSetCookies } from "../../traffic/session/set_cookies.ts";
import type { ServerValue } from "../../convert/server_values.ts";
import { percentDecode } from "../../traffic/session/percent_decode.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { dynamicBy, isOpaque } from "../../traffic/session/dynamic_value.ts";
import { SHORTEST_WITHIN } from "../../traffic/session/value_index.ts";

/**
 * Returns the values of server-generated cookies, as written in `Set-Cookie`, with the first call that
 * sets each. Omits values that requests also send elsewhere: these are variables, or from the client.
 */
export function sessionCookies(
  calls: readonly RecordedCall[],
  serverValues: readonly ServerValue[],
): Map<string, RecordedCall> {
  const elsewhere = new Set([
    ...calls.flatMap(({ fields }) => fields.map(({ value }) => value)),
    ...serverValues.map(({ value }) => value),
  ]);
  const cookies = new Map<string, RecordedCall>();
  for (const call of calls) {
    for (const [name, value] of parseSetCookies(call.exchange.response)) {
      const isMade = value.length >= SHORTEST_WITHIN && (dynamicBy(name, value) || isOpaque(value));
      if (!isMade || elsewhere.has(value) || cookies.has(value)) continue;
      if (!elsewhere.has(percentDecode(value, false)?.value ?? value)) cookies.set(value, call);
    }
  }
  return cookies;
}
