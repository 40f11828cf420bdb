import { isNumber } from "../../src/base/exact_number.ts";
import { random } from "../../src/base/random.ts";
import { compileNow, type NamelessExtractor } from "../../src/extract/compile_now.ts";
import type { Body } from "../../src/plan/kinds/bodies/bodies.ts";
import type { Request } from "../../src/plan/kinds/steps/request.ts";
import { clientUuids } from "../../src/convert/har/client_uuids.ts";
import { Replacements } from "../../src/convert/correlate/replacements.ts";
import { listRequests } from "../../src/plan/kinds/steps/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Expression } from "../../src/plan/expressions/expression.ts";
import { parseTemplate } from "../../src/plan/text/template.ts";
import type { RecordedRequest, RequestBody } from "../../src/traffic/har/recording.ts";
import { keptHeaders } from "../../src/traffic/session/kept_calls.ts";
import { type RecordedCall, splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { RecordedView } from "../../src/traffic/session/recorded_view.ts";

/** Text in place of a value that the plan cannot send, because no response has set it. */
export const UNSET = "\u2205";

/** A request that a plan sends, and the names of the variables in it. */
export interface Evaluated extends Pick<RecordedCall, "fields"> {
  /** Fields of the request with a reference to each variable instead of its value. */
  readonly references: Pick<RecordedCall, "fields">;
}

/**
 * Evaluates the requests of a plan in the order in which it sends them. The n-th request receives the
 * recorded response of the n-th of `calls`.
 */
export function evaluatePlan(plan: Plan, calls: readonly RecordedCall[]): Evaluated[] {
  const variables = new Map<string, unknown>();
  const exchanges = calls.map(({ exchange }) => exchange);
  // The client makes the same values on each server.
  for (const { name, uuid } of clientUuids(calls, exchanges, new Replacements([]))) {
    variables.set(uuidKey(name), uuid);
  }
  const http = plan.defaults?.http;
  const requests = Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  if (requests.length !== calls.length) {
    throw new Error(`${calls.length} calls became ${requests.length} requests`);
  }
  return requests.map((request, i) => {
    const headers = Object.entries({ ...http?.headers, ...request.headers })
      .filter(([, value]) => value !== null);
    const complete = { ...request, headers: Object.fromEntries(headers) };
    const split = (valueOf: (name: string) => unknown) =>
      splitRequest(evaluateRequest(complete, http?.base_url ?? "", valueOf), calls[i]);
    const sent = split((name) => variables.has(name) ? variables.get(name) : UNSET);
    const references = split((name) => `\u2039${name}\u203a`);
    const view = new RecordedView(calls[i].exchange.response);
    for (const { name, ...extractor } of request.extract ?? []) {
      try {
        const value = compileNow(extractor as NamelessExtractor)(view, random(1));
        variables.set(name, value ?? UNSET);
      } catch {
        variables.set(name, UNSET);
      }
    }
    return { fields: sent.fields, references };
  });
}

/** Returns the name of the variable that holds a UUID of the client. */
function uuidKey(name: string): string {
  return `uuid(${name})`;
}

function splitRequest(request: RecordedRequest, { exchange }: RecordedCall): RecordedCall {
  return splitCalls([{ ...exchange, request }], keptHeaders)[0];
}

type ValueOf = (name: string) => unknown;

function evaluateRequest(
  { method = "GET", url, headers = {}, body }: Request,
  baseUrl: string,
  valueOf: ValueOf,
): RecordedRequest {
  const target = evaluate(url, valueOf);
  return {
    method,
    url: target.startsWith("/") ? baseUrl + target : target,
    headers: Object.entries(headers).map(([name, value]) => (
      { name, value: evaluate(String(value), valueOf) }
    )),
    body: body === undefined ? undefined : evaluateBody(body, valueOf),
  };
}

function evaluateBody(body: Body, valueOf: ValueOf): RequestBody {
  const text = (value: unknown) => evaluate(String(value), valueOf);
  if (typeof body === "string") return { kind: "text", text: text(body), contentType: "" };
  const contentType = body.content_type ?? "";
  if (body.json !== undefined) {
    const value = evaluateJson(body.json, valueOf);
    return { kind: "json", value, text: JSON.stringify(value), contentType };
  }
  if (body.form) {
    const pairs = Array.isArray(body.form) ? body.form : Object.entries(body.form);
    const fields = pairs.map(([name, value]) => ({ name: text(name), value: text(value) }));
    return { kind: "form", fields, contentType };
  }
  if (body.multipart) {
    const parts = body.multipart.map(({ name, value }) => (
      { name: text(name), ...(value !== undefined && { value: text(value) }) }
    ));
    return { kind: "multipart", parts, contentType };
  }
  return { kind: "base64", base64: body.base64 ?? "", contentType };
}

function evaluateJson(value: unknown, valueOf: ValueOf): unknown {
  if (Array.isArray(value)) return value.map((item) => evaluateJson(item, valueOf));
  if (typeof value === "object" && value !== null && !isNumber(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, evaluateJson(member, valueOf)]),
    );
  }
  if (typeof value !== "string") return value;
  const parts = parseTemplate(value);
  const [only] = parts;
  return parts.length === 1 && only.kind === "variable"
    ? valueOf(only.name)
    : evaluate(value, valueOf);
}

function evaluate(template: string, valueOf: ValueOf): string {
  return parseTemplate(template).map((part) =>
    part.kind === "text" ? part.text : show(part, valueOf)
  )
    .join("");
}

function show(expression: Expression, valueOf: ValueOf): string {
  switch (expression.kind) {
    case "variable":
      return String(valueOf(expression.name));
    case "call": {
      const [argument] = expression.arguments;
      if (expression.name === "uuid" && argument?.kind === "variable") {
        return String(valueOf(uuidKey(argument.name)));
      }
      if (expression.name === "url_encode") return encodeURIComponent(show(argument, valueOf));
      if (expression.name !== "base64") return UNSET;
      return new TextEncoder().encode(show(argument, valueOf)).toBase64();
    }
    default:
      return UNSET;
  }
}
