import { asText } from "../../base/exact_json.ts";
import { durationMs } from "../../base/duration.ts";
import { ACCEPT_ENCODING } from "../../http/content.ts";
import type { Outgoing, ResponseNeeds } from "../../http/sender.ts";
import { requestMethod } from "../../plan/kinds/steps/request_name.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import { constant, type Rendered, renderedFrom } from "../flow/rendered.ts";
import type { Scope } from "../flow/scope.ts";
import { compileTemplate } from "../flow/template.ts";
import { compileBody } from "../kinds/bodies/bodies.ts";
import { compileTarget } from "./target.ts";

type Headers = Outgoing["headers"];

/**
 * Compiles what a request step sends. `needs` are the parts of the response that the plan reads.
 * Throws InputError if a file, constant or URL is invalid.
 */
export function compileOutgoing(
  request: Request,
  needs: ResponseNeeds,
  scope: Scope,
): Rendered<Outgoing> {
  const { content, contentType } = request.body === undefined
    ? { content: constant(undefined), contentType: undefined }
    : compileBody(request.body, scope);
  const headers = compileHeaders(request, contentType, scope);
  const target = compileTarget(request, scope);
  const method = requestMethod(request);
  const timeoutMs = durationMs(request.timeout ?? scope.http.timeout ?? "30s") ?? 30_000;
  return renderedFrom([headers, target, content], (vu): Outgoing => {
    const to = target.render(vu);
    return {
      method,
      origin: to.origin,
      target: to.target,
      headers: authorize(headers.render(vu), to.authorization),
      body: content.render(vu),
      timeoutMs,
      needs,
    };
  });
}

/**
 * Compiles a request's headers. They keep their order. The request's headers override the plan's,
 * which override the client's defaults.
 */
function compileHeaders(
  request: Request,
  contentType: string | undefined,
  scope: Scope,
): Rendered<Headers> {
  const { headers = {}, compression = true } = scope.http;
  const all = new Map<string, [name: string, value: Rendered<string>]>();
  const add = (name: string, value: Rendered<string>) => all.set(name.toLowerCase(), [name, value]);
  add("User-Agent", constant("rehearse"));
  if (compression) add("Accept-Encoding", constant(ACCEPT_ENCODING));
  if (contentType !== undefined) add("Content-Type", constant(contentType));
  for (
    const [name, value] of [...Object.entries(headers), ...Object.entries(request.headers ?? {})]
  ) {
    add(name, compileTemplate(asText(value), scope));
  }
  const compiled = [...all.values()];
  return renderedFrom(
    compiled.map(([, value]) => value),
    (vu) => compiled.map(([name, value]) => [name, value.render(vu)] as const),
  );
}

/** Adds the Authorization header for the user name in the URL, unless the plan sets that header. */
function authorize(headers: Headers, authorization: string | undefined): Headers {
  if (authorization === undefined) return headers;
  if (headers.some(([name]) => name.toLowerCase() === "authorization")) return headers;
  return [...headers, ["Authorization", authorization]];
}
