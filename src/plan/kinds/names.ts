import type { Assertion, Condition } from "./conditions.ts";
import { withoutUserInfo } from "../text/user_info.ts";

/** The keys of a request that determine its name. */
interface NamedRequest {
  readonly name?: string;
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
}

/**
 * Returns the method of a request. If the plan does not set one, returns POST for a request with a
 * body, and GET otherwise.
 */
export function requestMethod({ method, body }: Pick<NamedRequest, "method" | "body">): string {
  return method ?? (body === undefined ? "GET" : "POST");
}

/**
 * Returns the name of a `websocket` step in reports and in the `name` tag. If the plan does not set
 * one, returns `WS` and the URL without user information.
 */
export function socketName({ name, url }: Pick<NamedRequest, "name" | "url">): string {
  return name ?? `WS ${withoutUserInfo(url)}`;
}

/**
 * Returns the name of a request in reports and in the `name` tag. If the plan does not set one,
 * returns the method and the URL without user information.
 */
export function requestName(request: NamedRequest): string {
  return request.name ?? `${requestMethod(request)} ${withoutUserInfo(request.url)}`;
}

/**
 * Returns the name that identifies a condition in reports and in the `check` tag: its `name`, or
 * text such as `status equals 200`.
 */
export function conditionName(condition: Condition | Assertion): string {
  if (condition.name !== undefined) return condition.name;
  const { type, name: _, ...rest } = condition;
  const keys = Object.entries(rest)
    .filter(([key]) => key !== "on_failure")
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [type, ...keys].join(" ");
}
