import type { Exchange } from "../../traffic/har/recording.ts";
import { isSafeMethod } from "../../traffic/session/recorded_call.ts";

/**
 * Reports whether a call may change data on the server: its method is not safe, and it is not a
 * GraphQL query.
 */
export function changesData({ request: { method, body } }: Exchange): boolean {
  if (isSafeMethod(method)) return false;
  return body?.kind !== "json" || !/"query"\s*:\s*"\s*(?:query\b|\{)/.test(body.text);
}
