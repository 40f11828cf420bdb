import { withoutUserInfo } from "../../text/user_info.ts";

/** The keys of a request that determine its name. */
interface NamedRequest {
  readonly name?: string;
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
}

/** Returns the method of a request. The default is POST for a request with a body, and GET otherwise. */
export function requestMethod({ method, body }: Pick<NamedRequest, "method" | "body">): string {
  return method ?? (body === undefined ? "GET" : "POST");
}

/**
 * Returns the name of a request for reports and for the tag `name`. The default is the method and the
 * URL without user information.
 */
export function requestName(request: NamedRequest): string {
  return request.name ?? `${requestMethod(request)} ${withoutUserInfo(request.url)}`;
}
