import type { Request } from "./steps.ts";
import { withoutUserInfo } from "../../text/user_info.ts";

/** Returns the method of a request. The default is POST for a request with a body, and GET otherwise. */
export function requestMethod({ method, body }: Pick<Request, "method" | "body">): string {
  return method ?? (body === undefined ? "GET" : "POST");
}

/**
 * Returns the name of a request for reports and for the tag `name`. The default is the method and the
 * URL without user information.
 */
export function requestName(request: Pick<Request, "name" | "method" | "url" | "body">): string {
  return request.name ?? `${requestMethod(request)} ${withoutUserInfo(request.url)}`;
}
