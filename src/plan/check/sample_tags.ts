import { didYouMean } from "../../base/nearest.ts";
import { conditionName } from "../kinds/conditions/condition_name.ts";
import { requestMethod, requestName } from "../kinds/steps/request_name.ts";
import { isMap } from "../values/schema_walk.ts";
import type { Condition } from "../kinds/conditions/conditions.ts";
import type { CheckContext } from "../rules/check_context.ts";

/** Registered HTTP methods, including those of WebDAV. */
const METHODS = [
  ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PURGE"],
  ...["PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH"],
  ...["ACL", "BIND", "CHECKIN", "CHECKOUT", "LABEL", "LINK", "MERGE", "MKACTIVITY", "MKCALENDAR"],
  ...["ORDERPATCH", "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UPDATE", "VERSION-CONTROL"],
];

/**
 * Records the tag values that the samples of a request can have, and warns about a method that looks
 * mistyped.
 */
export function checkRequest(context: CheckContext, request: Record<string, unknown>): void {
  const { name, method, url, body, checks } = request;
  if (typeof url !== "string") return;
  const parts = { name: asText(name), method: asText(method), url, body: body as string };
  context.addTagValue("name", requestName(parts));
  context.addTagValue("method", requestMethod(parts));
  context.addTagValue("group", groupTag(context));
  for (const check of Array.isArray(checks) ? checks : []) {
    if (isMap(check)) context.addTagValue("check", conditionName(check as Condition));
  }
  if (parts.method === undefined || METHODS.includes(parts.method)) return;
  context.report("unknown-method", `"${parts.method}" is not a registered HTTP method`, {
    below: ["method"],
    hint: didYouMean(parts.method, METHODS),
    severity: "warning",
  });
}

/** Records the tags that the plan adds to samples, with their values. */
export function checkTags(context: CheckContext, tags: Record<string, unknown>): void {
  for (const [tag, value] of Object.entries(tags)) context.addTagValue(tag, value);
}

/** Returns the value of the tag `group` at the current path: `::` and the name of each group. */
function groupTag({ plan, path }: CheckContext): string {
  let value: unknown = plan;
  let tag = "";
  for (const key of path) {
    value = (value as Record<string | number, unknown>)[key];
    if (key === "group" && isMap(value)) tag += `::${value.name}`;
  }
  return tag;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
