import { readBody } from "../base/bytes/byte_source.ts";
import {
  type Cart,
  hexToken,
  type Item,
  PASSWORD,
  type Product,
  Refusal,
  type Shop,
  type ShopSession,
  type ShopUser,
} from "./shop.ts";

/** Handles a request. Throws `Refusal` to reject it. */
export type Handler = (call: DemoCall) => Response | Promise<Response>;

/** A method, a path and a handler. `:name` in the path matches any single segment. */
type Route = readonly [method: string, path: string, handler: Handler];

const SITE: readonly Route[] = [
  ["GET", "/", home],
  ["GET", "/products", products],
  ["GET", "/products/:id", product],
  ["GET", "/deals", () => redirectResponse("/products?q=mug")],
  ["GET", "/login", loginPage],
  ["POST", "/login", signIn],
  ["POST", "/logout", signOut],
  ["GET", "/account", account],
  ["GET", "/cart", cart],
  ["POST", "/cart", addToCart],
];

function home(call: DemoCall): Response {
  return call.page("Welcome", list(call.shop.products.slice(0, 5)));
}

function products(call: DemoCall): Response {
  const { items } = call.shop.page(call.query("q").toLowerCase(), null, 20);
  return call.page("Products", list(items));
}

function product(call: DemoCall): Response {
  const { id, name, priceCents } = call.shop.product(Number(call.params.id));
  const fields = `<input type="hidden" name="product_id" value="${id}">
<input type="number" name="quantity" value="1">`;
  const form = call.formTo("/cart", fields, "Add to cart");
  return call.page(name, `<p>${money(priceCents)}</p>\n${form}`);
}

function loginPage(call: DemoCall): Response {
  const fields = `<input name="username"> <input name="password" type="password">`;
  return call.page("Sign in", call.formTo("/login", fields, "Sign in"));
}

async function signIn(call: DemoCall): Promise<Response> {
  const form = await call.form();
  const user = call.shop.user(form.get("username") ?? "", form.get("password") ?? "");
  call.startSession(user);
  return redirectResponse("/account");
}

async function signOut(call: DemoCall): Promise<Response> {
  await call.form();
  call.startSession();
  return redirectResponse("/", 303);
}

function account(call: DemoCall): Response {
  const { user } = call.session;
  if (!user) return redirectResponse("/login");
  const greeting = `<p>Hello ${escapeHtml(user.name)}, customer ${user.id}.</p>`;
  return call.page("Account", `${greeting}\n${call.formTo("/logout", "", "Sign out")}`);
}

function cart(call: DemoCall): Response {
  const { session, shop } = call;
  const lines = session.basket.map((item) => `<li>${cartLine(item, shop.product(item.productId))}`);
  return call.page("Cart", `<ul>\n${lines.join("\n")}\n</ul>`);
}

async function addToCart(call: DemoCall): Promise<Response> {
  const form = await call.form();
  const [product, quantity] = [Number(form.get("product_id")), Number(form.get("quantity"))];
  call.shop.put(call.session.basket, product, quantity);
  return redirectResponse("/cart", 303);
}

function cartLine({ quantity }: Item, { name, priceCents }: Product): string {
  return `${quantity} × ${name}, ${money(quantity * priceCents)}`;
}

function list(products: readonly Product[]): string {
  const lines = products.map(({ id, name, priceCents }) =>
    `<li><a href="/products/${id}">${name}</a> ${money(priceCents)}`
  );
  return `<ul>\n${lines.join("\n")}\n</ul>`;
}

function money(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`;
}

/**
 * Routes of the JSON API. A request that changes data needs the last CSRF token as `x-csrf-token`,
 * and a request for a user's data `authorization: Bearer TOKEN`.
 */
const API: readonly Route[] = [
  ["GET", "/api/session", ({ session }) => Response.json({ csrfToken: session.csrfToken })],
  ["POST", "/api/login", login],
  ["POST", "/api/refresh", refresh],
  ["GET", "/api/profile", (call) => Response.json({ user: call.bearer() })],
  [
    "GET",
    "/api/products",
    ({ shop, url }) => Response.json(shop.page("", url.searchParams.get("cursor"))),
  ],
  [
    "GET",
    "/api/products/:id",
    ({ shop, params }) => Response.json(shop.product(Number(params.id))),
  ],
  ["GET", "/api/search", search],
  ["POST", "/api/carts", createCart],
  ["GET", "/api/carts/:id", (call) => Response.json({ cart: ownCart(call) })],
  ["POST", "/api/carts/:id/items", addItem],
  ["DELETE", "/api/carts/:id", dropCart],
  ["POST", "/api/orders", order],
  ["GET", "/api/orders/:id", ownOrder],
];

async function login(call: DemoCall): Promise<Response> {
  call.spendCsrf();
  const { username, password } = await call.json();
  const user = call.shop.user(String(username ?? ""), String(password ?? ""));
  const { csrfToken } = call.startSession(user);
  return Response.json({ user, ...call.shop.issueTokens(user), csrfToken });
}

async function refresh(call: DemoCall): Promise<Response> {
  const { refreshToken } = await call.json();
  return Response.json(call.shop.refresh(String(refreshToken)));
}

function search({ shop, url }: DemoCall): Response {
  const query = (url.searchParams.get("q") ?? "").toLowerCase();
  return Response.json({ query, ...shop.page(query, url.searchParams.get("cursor"), 3) });
}

function createCart(call: DemoCall): Response {
  const user = call.bearer();
  call.spendCsrf();
  const cart: Cart = { id: crypto.randomUUID(), userId: user.id, items: [] };
  call.shop.carts.set(cart.id, cart);
  return changed(call, { cart }, `/api/carts/${cart.id}`);
}

async function addItem(call: DemoCall): Promise<Response> {
  const cart = ownCart(call);
  call.spendCsrf();
  const { productId, quantity } = await call.json();
  if (typeof productId !== "number" || typeof quantity !== "number") {
    throw new Refusal(400, "productId and quantity must be numbers");
  }
  call.shop.put(cart.items, productId, quantity);
  return changed(call, { cart });
}

function dropCart(call: DemoCall): Response {
  const cart = ownCart(call);
  call.spendCsrf();
  call.shop.carts.take(cart.id);
  return new Response(null, { status: 204 });
}

async function order(call: DemoCall): Promise<Response> {
  const user = call.bearer();
  call.spendCsrf();
  const { cartId } = await call.json();
  const { items } = findCart(call, String(cartId), user.id);
  if (items.length === 0) throw new Refusal(409, "the cart is empty");
  const order = call.shop.order(user, items);
  return changed(call, { order }, `/api/orders/${order.id}`);
}

function ownOrder(call: DemoCall): Response {
  const order = call.shop.orders.get(call.params.id);
  if (order?.userId !== call.bearer().id) throw new Refusal(404, "no such order");
  return Response.json({ order });
}

function ownCart(call: DemoCall): Cart {
  return findCart(call, call.params.id, call.bearer().id);
}

function findCart(call: DemoCall, id: string, userId: number): Cart {
  const cart = call.shop.carts.get(id);
  if (cart?.userId !== userId) throw new Refusal(404, "no such cart");
  return cart;
}

function changed(call: DemoCall, made: Record<string, unknown>, location?: string): Response {
  const body = { ...made, csrfToken: call.session.csrfToken };
  return Response.json(body, {
    status: 201,
    headers: location === undefined ? {} : { location },
  });
}

/** Signing in through an identity provider: redirects with values that can be used once. */
const OAUTH: readonly Route[] = [
  ["GET", "/oauth/authorize", authorize],
  ["GET", "/oauth/consent", consent],
  ["GET", "/oauth/callback", callback],
];

function authorize({ shop, session }: DemoCall): Response {
  return redirectResponse(`/oauth/consent?ticket=${issueTicket(shop, session.id)}`);
}

function consent(call: DemoCall): Response {
  const state = takeTicket(call, "ticket");
  return redirectResponse(`/oauth/callback?code=${issueTicket(call.shop, state)}`);
}

function callback(call: DemoCall): Response {
  if (takeTicket(call, "code") !== call.session.id) {
    throw new Refusal(403, "the code belongs to another session");
  }
  call.startSession(call.shop.user("oauth", PASSWORD));
  return redirectResponse("/account");
}

function issueTicket(shop: DemoCall["shop"], holder: string): string {
  const value = hexToken();
  shop.tickets.set(value, holder);
  return value;
}

function takeTicket(call: DemoCall, name: string): string {
  const holder = call.shop.tickets.take(call.query(name));
  if (holder === undefined) throw new Refusal(403, `the ${name} is unknown or was used before`);
  return holder;
}

const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

const ASSETS: readonly Route[] = [
  asset("/assets/shop.css", "text/css", "body { font: 1rem/1.5 sans-serif; margin: 2rem }\n"),
  asset("/assets/shop.js", "text/javascript", "document.documentElement.lang ||= 'en';\n"),
  asset("/assets/logo.png", "image/png", PIXEL),
  asset("/favicon.ico", "image/png", PIXEL),
];

function asset(path: string, contentType: string, body: BodyInit): Route {
  const headers = { "content-type": contentType, "cache-control": "max-age=3600" };
  return ["GET", path, () => new Response(body, { headers })];
}

/** The route of a request, with the values of its path parameters. */
export interface Match {
  readonly path: string;
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
}

/** Routes that the server delays or fails on request: `/slow?ms=200`, `/flaky?percent=50`. */
const FAULTS: readonly Route[] = [
  ["GET", "/slow", () => Response.json({ ok: true })],
  ["GET", "/flaky", () => Response.json({ ok: true })],
];

const TABLE = [...SITE, ...API, ...OAUTH, ...ASSETS, ...FAULTS].map(([method, path, handler]) => {
  const source = path.replaceAll(".", "\\.").replace(/:(\w+)/g, "(?<$1>[^/]+)");
  return { method, path, handler, pattern: new RegExp(`^${source}$`) };
});

/** Returns the route of a request, or undefined if no route matches. HEAD uses those of GET. */
export function findRoute(method: string, path: string): Match | undefined {
  const routes = TABLE.filter((route) => route.method === (method === "HEAD" ? "GET" : method));
  for (const { path: route, handler, pattern } of routes) {
    const found = pattern.exec(path);
    if (found !== null) return { path: route, handler, params: found.groups ?? {} };
  }
  return undefined;
}

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

  /** Value of the `Set-Cookie` header of the response. Undefined if the cookie does not change. */
  get setCookie(): string | undefined {
    return this.#cookie;
  }

  /** Returns the value of a query parameter, or an empty string if it is missing. */
  query(name: string): string {
    return this.url.searchParams.get(name) ?? "";
  }

  async #text(): Promise<string> {
    const body = await readBody(this.request, MAX_BODY);
    if (body === undefined) throw new Refusal(413, "the body is too large");
    return new TextDecoder().decode(body);
  }

  /** Parses the form in the body and invalidates its CSRF token. Throws `Refusal` (403). */
  async form(): Promise<URLSearchParams> {
    const form = new URLSearchParams(await this.#text());
    this.shop.spendCsrf(this.session, form.get("csrf_token"));
    return form;
  }

  /** Parses the JSON object in the body. Throws `Refusal` (400) for other bodies. */
  async json(): Promise<Record<string, unknown>> {
    const text = await this.#text();
    try {
      return Object.assign(Object.create(null), JSON.parse(text));
    } catch {
      throw new Refusal(400, "the body must be a JSON object");
    }
  }

  /** Invalidates the token in the `x-csrf-token` header. Throws `Refusal` (403). */
  spendCsrf(): void {
    this.shop.spendCsrf(this.session, this.request.headers.get("x-csrf-token"));
  }

  /** Returns the user to whom the bearer token belongs. Throws `Refusal` (401). */
  bearer(): ShopUser {
    return this.shop.bearer(this.request.headers.get("authorization"));
  }

  /** Creates a page. `body` is trusted HTML. A meta element has the CSRF token for scripts. */
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

function redirectResponse(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ENTITIES[c]);
}
