import { durationMs } from "../../base/format.ts";
import { bodyCode } from "./bodies.ts";
import type { FlowScope } from "./flow_scope.ts";
import { defaultHeaders, headersCode } from "./headers_code.ts";
import { callCode, formatDuration, type Member, objectCode, stringLiteral } from "./javascript.ts";
import { type Js, operation, optional } from "./js_value.ts";
import { urlCode } from "./url_code.ts";
import type { Assertion } from "../../plan/kinds/conditions.ts";
import { conditionName, requestMethod, requestName } from "../../plan/kinds/names.ts";
import type { Request } from "../../plan/kinds/request.ts";
import { sampleTags, statusTest } from "../../plan/text/tags.ts";

/**
 * JavaScript code for the call that sends a request, and the variables that must be set to send it.
 */
export interface RequestCode {
  readonly call: string;
  readonly needs: readonly string[];
}

/** Functions of `k6/http` that have a parameter for the body, by HTTP method. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  POST: "post",
  PUT: "put",
  PATCH: "patch",
  DELETE: "del",
  OPTIONS: "options",
};

/**
 * Returns the JavaScript code that sends a request. Hoists the statements that must run before the
 * request.
 */
export function requestCode(request: Request, scope: FlowScope): RequestCode {
  scope.script.import("k6/http", "default");
  const url = hoisted(urlCode(request, scope), "url", scope);
  const body = request.body === undefined ? undefined : bodyCode(request.body, scope);
  const content = body && hoisted(body.content, "body", scope);
  const headers = headersCode(request, body?.contentType, defaultHeaders(scope), scope);
  const values = headers.values.filter((value) => value.fails);
  // A header that cannot be computed prevents the request.
  const failing = values.map((value) => scope.hoist("header", optional(value, scope)));
  const needs = [
    ...[url, ...content ? [content] : [], ...headers.values].flatMap((value) => value.needs),
    ...failing,
  ];
  const call = sendCode(
    requestMethod(request),
    url.code,
    content?.code,
    paramsCode(request, headers.code, scope),
    scope,
  );
  return { call, needs: [...new Set(needs)] };
}

/**
 * Assigns a value to a variable before the request if evaluating the value can fail. `name` is the
 * preferred name of the variable.
 */
function hoisted(value: Js, name: string, scope: FlowScope): Js {
  if (!value.fails) return value;
  const variable = scope.hoist(name, optional(value, scope));
  return { ...operation(variable, [], "text"), needs: [variable] };
}

function sendCode(
  method: string,
  url: string,
  body: string | undefined,
  params: string,
  { isAsync }: FlowScope,
): string {
  if (isAsync) {
    return `await ${callCode("http.asyncRequest", [`'${method}'`, url, body ?? "null", params])}`;
  }
  if (body === undefined && (method === "GET" || method === "HEAD")) {
    return callCode(`http.${method.toLowerCase()}`, [url, params]);
  }
  const name = FUNCTIONS[method];
  return name === undefined
    ? callCode("http.request", [`'${method}'`, url, body ?? "null", params])
    : callCode(`http.${name}`, [url, body ?? "null", params]);
}

function paramsCode(request: Request, headers: string | undefined, scope: FlowScope): string {
  const { script, http } = scope;
  const more: Member[] = [];
  if (headers !== undefined) more.push(["headers", headers]);
  const tags = tagsCode(request);
  if (tags !== undefined) more.push(["tags", tags]);
  if (request.timeout !== undefined) {
    more.push(["timeout", `'${formatDuration(durationMs(request.timeout)!)}'`]);
  }
  const follows = http.follow_redirects ?? true;
  if (request.follow_redirects !== undefined && request.follow_redirects !== follows) {
    more.push(["redirects", request.follow_redirects ? String(http.max_redirects ?? 10) : "0"]);
  }
  if ((request.auth ?? http.auth) === "digest" && hasLogin(request.url, http.base_url)) {
    script.note("k6-digest", "auth", "k6 asks for a nonce before each request");
    more.push(["auth", "'digest'"]);
  }
  const statuses = assertedStatusesCode(request.assert ?? []);
  if (statuses !== undefined) more.push(["responseCallback", statuses]);
  if (scope.jar !== undefined) more.push(["jar", scope.jar]);
  const name = stringLiteral(requestName(request));
  const room = `params(${name}, )`.length + 4;
  return callCode("params", more.length === 0 ? [name] : [name, objectCode(more, room)]);
}

/** Reports whether a URL may contain a user name. For a relative URL, checks the base URL. */
function hasLogin(url: string, base: string | undefined): boolean {
  const start = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) || url.startsWith("${") ? url : base ?? "";
  return /^(?:[^/]*\/\/)?[^/]*(?:@|\$\{)/.test(start);
}

/**
 * Returns the JavaScript code for the tags of a request, or undefined if the request has no tags.
 */
export function tagsCode(request: Request): string | undefined {
  const members = tagMembers(request);
  return members.length === 0 ? undefined : objectCode(members);
}

/** Returns the tags of a request as members of a JavaScript object. */
export function tagMembers({ tags = {} }: Request): Member[] {
  return Object.entries(sampleTags(tags)).map((
    [tag, value],
  ) => [tag, stringLiteral(String(value))]);
}

/** Adds notes about request settings that k6 does not support. */
export function noteRequest(request: Request, { script, http }: FlowScope): void {
  const name = requestName(request);
  const { sse, assert = [] } = request;
  if (request.revalidate !== undefined) {
    script.note("k6-revalidate", name, "the script sends no conditional requests");
  }
  if (sse) script.note("k6-sse", name, "k6 reads the whole response");
  const method = requestMethod(request);
  const follows = request.follow_redirects ?? http.follow_redirects ?? true;
  if (follows && !["GET", "HEAD", "POST", "OPTIONS"].includes(method)) {
    script.note(
      "k6-redirect-method",
      name,
      `after ${method}, k6 follows a redirect with a GET request`,
    );
  }
  for (const assertion of assert) {
    if (assertion.type === "status") continue;
    script.note(
      "k6-assertions",
      conditionName(assertion),
      "the script turns the assertion into a check",
    );
  }
}

/** Lowest and highest status that a k6 response callback accepts. */
const [LOWEST, HIGHEST] = [100, 599];

/**
 * Returns the JavaScript code for a k6 response callback that accepts the statuses in `list`, the
 * `expected_statuses` of a plan.
 */
export function expectedStatusesCode(list: readonly (number | string)[]): string {
  return callback(statusTest(list)!);
}

/**
 * Returns the JavaScript code for a k6 response callback that accepts the statuses that pass the
 * assertions of a request. Returns undefined if no assertion tests the status.
 */
function assertedStatusesCode(assertions: readonly Assertion[]): string | undefined {
  const tests = assertions.filter((assertion) => assertion.type === "status");
  if (tests.length === 0) return undefined;
  return callback((status) =>
    tests.every(({ equals, one_of, matches }) =>
      (equals === undefined || status === equals) && (one_of?.includes(status) ?? true) &&
      (matches === undefined || new RegExp(matches).test(String(status)))
    )
  );
}

/** Returns JavaScript code that tests whether `status` is in a list of codes and ranges. */
export function statusListCode(list: readonly (number | string)[], status: string): string {
  return rangesOf(statusTest(list)!).map(([from, to]) =>
    from === to ? `${status} === ${from}` : `${status} >= ${from} && ${status} <= ${to}`
  ).join(" || ");
}

function callback(isExpected: (status: number) => boolean): string {
  const codes = rangesOf(isExpected).map(([from, to]) =>
    from === to ? String(from) : `{ min: ${from}, max: ${to} }`
  );
  // No response has the status 999, so every response fails.
  return `http.expectedStatuses(${codes.length === 0 ? "999" : codes.join(", ")})`;
}

/** Returns the ranges of expected statuses. `from` and `to` are inclusive. */
function rangesOf(isExpected: (status: number) => boolean): [from: number, to: number][] {
  const ranges: [from: number, to: number][] = [];
  for (let status = LOWEST; status <= HIGHEST; status++) {
    if (!isExpected(status)) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === status - 1) last[1] = status;
    else ranges.push([status, status]);
  }
  return ranges;
}
