import type { Condition } from "../../plan/kinds/conditions/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import { RECORDED_TAG } from "../../plan/text/recorded_tag.ts";
import { literal, type TemplatePart } from "../../plan/text/template.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { joinParts, type Replacements } from "../correlate/replacements.ts";
import { planBody, textContentType } from "./plan_body.ts";
import type { PlanHeaders } from "./shared_headers.ts";

/** Properties of a request in the plan that the recorded call alone does not determine. */
export interface RequestContext {
  readonly name: string;
  /** Headers that the request has in addition to the default headers. */
  readonly headers: PlanHeaders;
  readonly baseUrl: string;
  /** Expressions that the plan sends instead of recorded values. */
  readonly replacements: Replacements;
  readonly extract: readonly Extractor[];
  /** True if the request follows redirects. */
  readonly follow: boolean;
  /** Checks of the response. */
  readonly checks: readonly Condition[];
}

/** Builds the plan's request for a recorded call. */
export function planRequest(call: RecordedCall, context: RequestContext): Request {
  const { name, headers, replacements, extract, follow, checks } = context;
  return {
    name,
    method: methodOf(call),
    url: planUrl(call, context),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(call.body && { body: planBody(call, call.body, replacements) }),
    ...(follow && { follow_redirects: true }),
    tags: { [RECORDED_TAG]: String(call.exchange.index + 1) },
    ...(extract.length > 0 && { extract: [...extract] }),
    ...(!follow && isClientError(call) && { assert: [expectClientError(call)] }),
    ...(checks.length > 0 && { checks: [...checks] }),
  };
}

function isClientError({ exchange: { response: { status } } }: RecordedCall): boolean {
  return status >= 400 && status < 500;
}

/**
 * Returns an assertion that accepts the recorded client error in addition to statuses below 400.
 * Without it, the request fails.
 */
function expectClientError({ exchange: { response: { status } } }: RecordedCall): Condition {
  return {
    type: "status",
    name: `status ${status} as recorded, or below 400`,
    matches: `^(?:[123]|${status}$)`,
  };
}

/**
 * Returns the call's URL as written in the plan: relative if its origin is `baseUrl` and its path does
 * not start with `//`, otherwise absolute.
 */
export function planUrl(
  { url }: RecordedCall,
  { baseUrl, replacements }: Pick<RequestContext, "baseUrl" | "replacements">,
): string {
  const parts = [...url.path, ...url.query].flatMap((piece): TemplatePart[] =>
    typeof piece === "string" ? [{ kind: "text", text: piece }] : replacements.parts(piece)
  );
  const relative = url.origin === baseUrl &&
    !(url.path[0] === "/" && url.path[1] === "/");
  return joinParts(relative ? parts : [{ kind: "text", text: url.prefix }, ...parts]);
}

/** Returns all headers of a call, as written in a plan. */
export function planHeaders(
  call: RecordedCall,
  replacements: Replacements,
): Record<string, string> {
  const planned = call.headers.map(({ name, field }): [string, string] => [
    name,
    replacements.template(field),
  ]);
  const type = textContentType(call);
  if (type !== undefined) planned.push(["Content-Type", literal(type)]);
  return Object.fromEntries(planned);
}
