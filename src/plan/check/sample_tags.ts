import { didYouMean } from "../../base/nearest.ts";
import { conditionName } from "../condition_name.ts";
import { requestMethod, requestName } from "../request_name.ts";
import { isMap } from "../schema/branch.ts";
import type { Condition } from "../schema/condition.ts";
import type { CheckContext } from "./check_context.ts";

/** The registered methods that load tests use, and those of WebDAV. */
const METHODS = [
  ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PURGE"],
  ...["PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH"],
  ...["ACL", "BIND", "CHECKIN", "CHECKOUT", "LABEL", "LINK", "MERGE", "MKACTIVITY", "MKCALENDAR"],
  ...["ORDERPATCH", "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UPDATE", "VERSION-CONTROL"],
];

/** Records the tag values of a request's samples, and warns about a method that looks mistyped. */
export function checkRequest(walk: CheckContext, request: Record<string, unknown>): void {
  const { name, method, url, body, checks } = request;
  if (typeof url !== "string") return;
  const parts = { name: asText(name), method: asText(method), url, body: body as string };
  walk.addTagValue("name", requestName(parts));
  walk.addTagValue("method", requestMethod(parts));
  walk.addTagValue("group", groupTag(walk));
  for (const check of Array.isArray(checks) ? checks : []) {
    if (isMap(check)) walk.addTagValue("check", conditionName(check as Condition));
  }
  if (parts.method === undefined || METHODS.includes(parts.method)) return;
  walk.report("unknown-method", `no registered HTTP method is called "${parts.method}"`, {
    below: ["method"],
    hint: didYouMean(parts.method, METHODS),
    severity: "warning",
  });
}

/** Records the tags that the plan puts on samples. */
export function checkTags(walk: CheckContext, tags: Record<string, unknown>): void {
  for (const [tag, value] of Object.entries(tags)) walk.addTagValue(tag, value);
}

/** The value of the tag `group` here: `::` and the name of each enclosing group. */
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
