import type { Exchange } from "../har/recording.ts";

/** Safe methods of RFC 9110 and WebDAV, `QUERY`, and those for the parts of a WebSocket. */
const SAFE: ReadonlySet<string> = new Set([
  ...["GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH"],
  ...["WS", "RECEIVE"],
]);

/** Reports whether requests with this method do not change data on the server. */
export function isSafeMethod(method: string): boolean {
  return method === "GET" || SAFE.has(method.toUpperCase());
}

/** Reports whether a recorded call may change data, by its method and its body. */
export function changesData({ request: { method, body } }: Exchange): boolean {
  if (isSafeMethod(method)) return false;
  return body === undefined || !("text" in body) || !onlyReads(body.text);
}

/** Prefilter: matches a body with a safe method that the server uses instead of POST. */
const MAYBE_OVERRIDDEN = /"_method"\s*:\s*"(?:GET|HEAD)"|(?:^|&)_method=(?:GET|HEAD)(?:&|$)/i;

/** Reports whether a body is a GraphQL query, or states a safe `_method`. */
export function onlyReads(body: string): boolean {
  if (isGraphqlQuery(body)) return true;
  if (!MAYBE_OVERRIDDEN.test(body)) return false;
  try {
    const { _method } = JSON.parse(body);
    return typeof _method === "string" && isSafeMethod(_method);
  } catch {
    return !body.includes('"');
  }
}

/** Prefilter: matches JSON text with a string `query` that starts like a GraphQL query. */
const MAYBE_QUERY = /"query"\s*:\s*"(?:\s|\\[nrt])*(?:query\b|\{)/;
const MEMBERS: ReadonlySet<string> = new Set([
  "query",
  "operationName",
  "variables",
  "extensions",
  "id",
]);
const QUERY = /^\s*(?:query\b[^{]*)?\{/;
const OTHER_OPERATION = /\b(?:mutation|subscription)\b/;

/** Accepts a batch, but no other operation and no member that a GraphQL request lacks. */
function isGraphqlQuery(json: string): boolean {
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
