import { Refusal, type Shop, type ShopSession, type ShopUser } from "./shop.ts";

/** A request to the shop, with the session of the visitor who sent it. */
export class DemoCall {
  readonly request: Request;
  readonly url: URL;
  /** Values of the path parameters, by their names in the route (`id` for `:id`). */
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

  /** Returns the visitor's session. Starts a session if the visitor has none. */
  get session(): ShopSession {
    return this.#session ?? this.startSession();
  }

  /**
   * Ends the current session and starts a new one. The new session is signed in if `user` is given.
   */
  startSession(user?: ShopUser): ShopSession {
    if (this.#session) this.shop.endSession(this.#session);
    this.#session = this.shop.startSession(user);
    this.#cookie = `sid=${this.#session.id}; Path=/; HttpOnly; SameSite=Lax`;
    return this.#session;
  }

  /** Value of the `Set-Cookie` header for the response, or undefined if no cookie changes. */
  get setCookie(): string | undefined {
    return this.#cookie;
  }

  query(name: string): string {
    return this.url.searchParams.get(name) ?? "";
  }

  /** Parses the submitted form and consumes its CSRF token. */
  async form(): Promise<URLSearchParams> {
    const form = new URLSearchParams(await this.request.text());
    this.shop.spendCsrf(this.session, form.get("csrf_token"));
    return form;
  }

  /** Parses the JSON object in the body. */
  async json(): Promise<Record<string, unknown>> {
    const value = await this.request.json().catch(() => undefined);
    if (typeof value !== "object" || value === null) {
      throw new Refusal(400, "the body must be a JSON object");
    }
    return value as Record<string, unknown>;
  }

  /**
   * Invalidates the CSRF token in the `x-csrf-token` header. Throws Refusal (403) if the token is
   * invalid.
   */
  spendCsrf(): void {
    this.shop.spendCsrf(this.session, this.request.headers.get("x-csrf-token"));
  }

  /**
   * Returns the user to whom the bearer token belongs. Throws Refusal (401) if the token is missing
   * or invalid.
   */
  bearer(): ShopUser {
    return this.shop.bearer(this.request.headers.get("authorization"));
  }
}

function sessionCookie(request: Request): string | undefined {
  return /(?:^|;\s*)sid=([^;]*)/.exec(request.headers.get("cookie") ?? "")?.[1];
}
