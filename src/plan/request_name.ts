import type { Request } from "./schema/step.ts";
import { withoutUserInfo } from "./user_info.ts";

/** Returns the method of a request: GET, or POST with a body, unless the request sets one. */
export function requestMethod({ method, body }: Pick<Request, "method" | "body">): string {
  return method ?? (body === undefined ? "GET" : "POST");
}

/** Returns the name of a request for reports and for the tag `name`, without the user of its URL. */
export function requestName(request: Pick<Request, "name" | "method" | "url" | "body">): string {
  return request.name ?? `${requestMethod(request)} ${withoutUserInfo(request.url)}`;
}
