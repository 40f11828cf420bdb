import type { Exchange } from "../../traffic/har/recording.ts";
import { isSafeMethod } from "../../traffic/session/recorded_call.ts";

/**
 * Reports whether a call may change data on the server: its method is not safe, and it is not a
 * GraphQL query.
 */
export function changesData({ request: { method, body } }: Exchange): boolean {
  if (isSafeMethod(method)) return false;
  return body?.kind !== "json" || !isGraphqlQuery(body.text);
}

const QUERY = /"query"\s*:\s*"(?:\s|\\[nrt])*(?:query\b[^{"]*)?\{/;
const OTHER_OPERATION = /\b(?:mutation|subscription)\b/;

/**
 * Reports whether JSON text is a GraphQL query or a batch of queries, which only read data. Returns
 * false if it contains any other operation.
 */
export function isGraphqlQuery(json: string): boolean {
  return QUERY.test(json) && !OTHER_OPERATION.test(json);
}
