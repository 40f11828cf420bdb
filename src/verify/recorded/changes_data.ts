import { isSafeMethod } from "../../traffic/session/headers.ts";
import type { Exchange } from "../../traffic/har/recording.ts";

/**
 * Reports whether a call may change data on the server: its method is not safe, and it is not a
 * GraphQL query.
 */
export function changesData({ request: { method, body } }: Exchange): boolean {
  if (isSafeMethod(method)) return false;
  return body?.kind !== "json" || !isGraphqlQuery(body.text);
}

/**
 * Reports whether the server chose when to send the content of a response: a WebSocket message, or
 * events in response to a safe request.
 */
export function isPushed({ socketPart, request, response }: Exchange): boolean {
  return socketPart === "receive" ||
    (response.mimeType.startsWith("text/event-stream") && isSafeMethod(request.method));
}

/** Prefilter: matches JSON text with a string `query` that starts like a GraphQL query. */
const MAYBE_QUERY = /"query"\s*:\s*"(?:\s|\\[nrt])*(?:query\b|\{)/;
/** Names of the members that a GraphQL request can have. */
const MEMBERS: ReadonlySet<string> = new Set([
  "query",
  "operationName",
  "variables",
  "extensions",
  "id",
]);
const QUERY = /^\s*(?:query\b[^{]*)?\{/;
const OTHER_OPERATION = /\b(?:mutation|subscription)\b/;

/**
 * Reports whether JSON text is a GraphQL query or a batch of queries, which only read data. Returns
 * false if it contains any other operation, or members that a GraphQL request does not have.
 */
export function isGraphqlQuery(json: string): boolean {
  if (!MAYBE_QUERY.test(json)) return false;
  try {
    return [JSON.parse(json)].flat().every(isQuery);
  } catch {
    return false;
  }
}

function isQuery(request: unknown): boolean {
  if (typeof request !== "object" || request === null || !("query" in request)) return false;
  const { query } = request;
  return typeof query === "string" && QUERY.test(query) && !OTHER_OPERATION.test(query) &&
    Object.keys(request).every((name) => MEMBERS.has(name));
}
