import { durationMs } from "../../../base/duration.ts";
import { requestMethod } from "../../../plan/kinds/steps/request_name.ts";
import type { Request } from "../../../plan/kinds/steps/request.ts";
import { conditionNeeds } from "../conditions/compile_condition.ts";
import { extractorNeeds } from "../../../extract/compile_extractor.ts";
import type { Outgoing, ResponseNeeds } from "../../../http/sender.ts";
import { compileBody } from "../bodies/compile_body.ts";
import { compileHeaders, type Headers } from "../../flow/headers.ts";
import type { Scope } from "../../flow/scope.ts";
import type { UrlTarget } from "../../../http/url.ts";
import { compileTarget } from "../../flow/target.ts";
import type { Vu } from "../../vu/vu.ts";

/**
 * Compiled request: one object for all iterations if it is constant, otherwise a function that
 * builds the request for a VU.
 */
export type MakeOutgoing = Outgoing | ((vu: Vu) => Outgoing);

/**
 * Compiles the request of a step. Throws InputError if a file, constant or URL is invalid. A
 * returned function throws TemplateFault if the request cannot be built, and FlowEnd if no data row
 * is left.
 */
export function compileOutgoing(request: Request, scope: Scope): MakeOutgoing {
  const body = request.body === undefined ? undefined : compileBody(request.body, scope);
  const headers = compileHeaders(request, body?.contentType, scope);
  const target = compileTarget(request, scope);
  const content = body?.content;
  const common = {
    method: requestMethod(request),
    timeoutMs: durationMs(request.timeout ?? scope.http.timeout ?? "30s") ?? 30_000,
    needs: compileResponseNeeds(request, scope),
  };
  if ([headers, target, content].every((part) => typeof part !== "function")) {
    const { origin, target: path, authorization } = target as UrlTarget;
    const all = authorize(headers as Headers, authorization);
    return { origin, target: path, ...common, headers: all, body: content as Outgoing["body"] };
  }
  return (vu) => {
    const to = typeof target === "function" ? target(vu) : target;
    return {
      method: common.method,
      origin: to.origin,
      target: to.target,
      headers: authorize(
        typeof headers === "function" ? headers(vu) : headers,
        to.authorization,
      ),
      body: typeof content === "function" ? content(vu) : content,
      timeoutMs: common.timeoutMs,
      needs: common.needs,
    };
  };
}

/** Adds the Authorization header for the user name in the URL, unless the plan sets that header. */
function authorize(headers: Headers, authorization: string | undefined): Headers {
  if (authorization === undefined) return headers;
  if (headers.some(([name]) => name.toLowerCase() === "authorization")) return headers;
  return [...headers, ["Authorization", authorization]];
}

function compileResponseNeeds(
  { extract = [], assert = [], checks = [] }: Request,
  scope: Scope,
): ResponseNeeds {
  const needs = [
    scope.needs,
    ...extract.map(extractorNeeds),
    ...[...assert, ...checks].map(conditionNeeds),
  ];
  return {
    headers: needs.some(({ headers }) => headers),
    body: needs.some(({ body }) => body) && !scope.http.discard_response_bodies,
  };
}
