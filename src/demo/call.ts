import { readBody } from "../base/bytes/byte_source.ts";
import { Refusal, type Shop, type ShopSession, type ShopUser } from "./shop.ts";

/** Maximum size of a request body in bytes. */
const MAX_BODY = 1024 * 1024;

/** A request to the shop, with the session of the visitor who sent it. */
export class DemoCall {
  readonly request: Request;
  readonly url: URL;
  /** Values of the path parameters by name, such as `id` for the route `/products/:id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly shop: Shop;
  #session: ShopSession | undefined;
  #cookie: string | undefined;

  constructor(request: Request, url: URL, params: Record<string, string>, shop: Shop) {
    this.request = request;
    this.url = url;
    this.params = params;
    this.shop = shop;
    this.#session = shop.session(sessionCookie(request));
  }

  /** The visitor's session. Reading it starts a new session if the visitor does not have one. */
  get session(): ShopSession {
    return this.#session ?? this.startSession();
  }

  /** Ends the current session and starts a new one, which is signed in if `user` is given. */
  startSession(user?: ShopUser): ShopSession {
    if (this.#session) this.shop.endSession(this.#session);
    this.#session = this.shop.startSession(user);
    this.#cookie = `sid=${this.#session.id}; Path=/; HttpOnly; SameSite=Lax`;
    return this.#session;
  }

  /**
   * Value of the `Set-Cookie` header of the response, or undefined if the cookie does not change.
   */
  get setCookie(): string | undefined {
    return this.#cookie;
  }

  /** Returns the value of a query parameter, or an empty string if it is missing. */
  query(name: string): string {
    return this.url.searchParams.get(name) ?? "";
  }

  /** Reads the body. Throws `Refusal` (413) if it is too large. */
  async #text(): Promise<string> {
    const body = await readBody(this.request, MAX_BODY);
    if (body === undefined) throw new Refusal(413, "the body is too large");
    return new TextDecoder().decode(body);
  }

  /**
   * Parses the form in the body and invalidates its CSRF token. Throws `Refusal` (403) if the token
   * is invalid.
   */
  async form(): Promise<URLSearchParams> {
    const form = new URLSearchParams(await this.#text());
    this.shop.spendCsrf(this.session, form.get("csrf_token"));
    return form;
  }

  /**
   * Parses the JSON object in the body. Throws `Refusal` (400) if the body is not a JSON object.
   */
  async json(): Promise<Record<string, unknown>> {
    const value = parsed(await this.#text());
    if (typeof value !== "object" || value === null) {
      throw new Refusal(400, "the body must be a JSON object");
    }
    return value as Record<string, unknown>;
  }

  /**
   * Invalidates the CSRF token in the `x-csrf-token` header. Throws `Refusal` (403) if the token is
   * invalid.
   */
  spendCsrf(): void {
    this.shop.spendCsrf(this.session, this.request.headers.get("x-csrf-token"));
  }

  /**
   * Returns the user to whom the bearer token belongs. Throws `Refusal` (401) if the token is
   * missing or invalid.
   */
  bearer(): ShopUser {
    return this.shop.bearer(this.request.headers.get("authorization"));
  }
}

function sessionCookie(request: Request): string | undefined {
  return /(?:^|;\s*)sid=([^;]*)/.exec(request.headers.get("cookie") ?? "")?.[1];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Handles a request. Throws `Refusal` to reject it. */
export type Handler = (call: DemoCall) => Response | Promise<Response>;

/** A method, a path and a handler. `:name` in the path matches any single segment. */
export type Route = readonly [method: string, path: string, handler: Handler];

/** The route of a request, with the values of its path parameters. */
export interface Match {
  readonly path: string;
  readonly handler: Handler;
  readonly params: Record<string, string>;
}

/**
 * Creates a function that finds the route of a request. The function returns undefined if no route
 * matches. HEAD requests use the routes of GET.
 */
export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => Match | undefined {
  const table = routes.map(([method, path, handler]) => {
    return { method, path, handler, segments: path.split("/") };
  });
  return (method, path) => {
    const routeMethod = method === "HEAD" ? "GET" : method;
    const segments = path.split("/");
    for (const route of table) {
      if (route.method !== routeMethod) continue;
      const params = matchPath(route.segments, segments);
      if (params) return { path: route.path, handler: route.handler, params };
    }
    return undefined;
  };
}

function matchPath(pattern: readonly string[], path: readonly string[]) {
  if (pattern.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, segment] of pattern.entries()) {
    if (segment.startsWith(":")) params[segment.slice(1)] = path[i];
    else if (segment !== path[i]) return undefined;
  }
  return params;
}
