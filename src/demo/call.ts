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

  constructor(request: Request, url: URL, params: Readonly<Record<string, string>>, shop: Shop) {
    this.request = request;
    this.url = url;
    this.params = params;
    this.shop = shop;
    const [, id] = /(?:^|;\s*)sid=([^;]*)/.exec(request.headers.get("cookie") ?? "") ?? [];
    this.#session = shop.session(id);
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
    const text = await this.#text();
    try {
      return Object.assign(Object.create(null), JSON.parse(text));
    } catch {
      throw new Refusal(400, "the body must be a JSON object");
    }
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

  /**
   * Creates a page of the shop. `body` is trusted HTML. The page contains the CSRF token in a meta
   * element, for scripts.
   */
  page(title: string, body: string): Response {
    return htmlResponse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="csrf-token" content="${this.session.csrfToken}">
<title>${escapeHtml(title)} – demo shop</title>
<link rel="stylesheet" href="/assets/shop.css">
<script src="/assets/shop.js" defer></script>
</head>
<body>
<header><a href="/"><img src="/assets/logo.png" alt="demo shop"></a>
<a href="/products">Products</a> <a href="/cart">Cart</a> <a href="/account">Account</a></header>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`);
  }

  /** Returns a form that posts `fields` (trusted HTML) and the CSRF token to `action`. */
  formTo(action: string, fields: string, submit: string): string {
    return `<form method="post" action="${action}">
<input type="hidden" name="csrf_token" value="${this.session.csrfToken}">
${fields}
<button>${submit}</button>
</form>`;
  }
}

export function htmlResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

export function redirectResponse(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ENTITIES[c]);
}
