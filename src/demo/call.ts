import { Refusal } from "./refusal.ts";
import type { Shop, ShopSession, ShopUser } from "./shop.ts";

/** One request to the shop, with its visitor. */
export class DemoCall {
  readonly request: Request;
  readonly url: URL;
  /** Path parameters by the names in the route (`:name`). */
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

  /** Returns the visitor's session and starts one if there is none. */
  get session(): ShopSession {
    return this.#session ?? this.startSession();
  }

  /** Starts a new session, signed in if a user is given. */
  startSession(user?: ShopUser): ShopSession {
    if (this.#session) this.shop.endSession(this.#session);
    this.#session = this.shop.startSession(user);
    this.#cookie = `sid=${this.#session.id}; Path=/; HttpOnly; SameSite=Lax`;
    return this.#session;
  }

  /** The `Set-Cookie` header that the response needs, if any. */
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

  /** Consumes the CSRF token in the header. */
  spendCsrf(): void {
    this.shop.spendCsrf(this.session, this.request.headers.get("x-csrf-token"));
  }

  /** Returns the owner of the bearer token. */
  bearer(): ShopUser {
    return this.shop.bearer(this.request.headers.get("authorization"));
  }
}

function sessionCookie(request: Request): string | undefined {
  return /(?:^|;\s*)sid=([^;]*)/.exec(request.headers.get("cookie") ?? "")?.[1];
}
