import type { DemoCall, Route } from "./call.ts";
import {
  escapeHtml,
  htmlResponse,
  jsonResponse,
  redirectResponse,
  renderForm,
  renderPage,
} from "./responses.ts";
import { type Cart, hexToken, type Item, PASSWORD, type Product, Refusal } from "./shop.ts";

/** Routes of the HTML pages. */
export const SITE: readonly Route[] = [
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

function home({ session, shop }: DemoCall): Response {
  return htmlResponse(renderPage("Welcome", session.csrfToken, list(shop.products.slice(0, 5))));
}

function products(call: DemoCall): Response {
  const { items } = call.shop.page(call.query("q").toLowerCase(), null, 20);
  return htmlResponse(renderPage("Products", call.session.csrfToken, list(items)));
}

function product({ params, session, shop }: DemoCall): Response {
  const { id, name, priceCents } = shop.product(Number(params.id));
  const fields = `<input type="hidden" name="product_id" value="${id}">
<input type="number" name="quantity" value="1">`;
  const buyForm = renderForm("/cart", session.csrfToken, fields, "Add to cart");
  return htmlResponse(
    renderPage(name, session.csrfToken, `<p>${money(priceCents)}</p>\n${buyForm}`),
  );
}

function loginPage({ session }: DemoCall): Response {
  const fields = `<input name="username"> <input name="password" type="password">`;
  const body = renderForm("/login", session.csrfToken, fields, "Sign in");
  return htmlResponse(renderPage("Sign in", session.csrfToken, body));
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

function account({ session }: DemoCall): Response {
  if (!session.user) return redirectResponse("/login");
  const greeting = `<p>Hello ${escapeHtml(session.user.name)}, customer ${session.user.id}.</p>`;
  const signOutForm = renderForm("/logout", session.csrfToken, "", "Sign out");
  return htmlResponse(renderPage("Account", session.csrfToken, `${greeting}\n${signOutForm}`));
}

function cart({ session, shop }: DemoCall): Response {
  const lines = session.basket.map((item) => `<li>${cartLine(item, shop.product(item.productId))}`);
  return htmlResponse(renderPage("Cart", session.csrfToken, `<ul>\n${lines.join("\n")}\n</ul>`));
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
 * Routes of the JSON API. The `x-csrf-token` header of a request that changes data must contain the
 * CSRF token from the preceding response. A request for a user's data needs the header
 * `authorization: Bearer TOKEN`.
 */
export const API: readonly Route[] = [
  ["GET", "/api/session", ({ session }) => jsonResponse({ csrfToken: session.csrfToken })],
  ["POST", "/api/login", login],
  ["POST", "/api/refresh", refresh],
  ["GET", "/api/profile", (call) => jsonResponse({ user: call.bearer() })],
  [
    "GET",
    "/api/products",
    ({ shop, url }) => jsonResponse(shop.page("", url.searchParams.get("cursor"))),
  ],
  ["GET", "/api/products/:id", ({ shop, params }) => jsonResponse(shop.product(Number(params.id)))],
  ["GET", "/api/search", search],
  ["POST", "/api/carts", createCart],
  ["GET", "/api/carts/:id", (call) => jsonResponse({ cart: ownCart(call) })],
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
  return jsonResponse({ user, ...call.shop.issueTokens(user), csrfToken });
}

async function refresh(call: DemoCall): Promise<Response> {
  const { refreshToken } = await call.json();
  return jsonResponse(call.shop.refresh(String(refreshToken)));
}

function search({ shop, url }: DemoCall): Response {
  const query = (url.searchParams.get("q") ?? "").toLowerCase();
  return jsonResponse({ query, ...shop.page(query, url.searchParams.get("cursor"), 3) });
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
  return jsonResponse({ order });
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
  return jsonResponse(body, 201, location === undefined ? {} : { location });
}

/**
 * Routes for signing in through an identity provider: three redirects in a row. The first two pass
 * a single-use value to the next route.
 */
export const OAUTH: readonly Route[] = [
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

/** Waits for `ms` milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** Returns true with a probability of `percent` percent (0 to 100). */
export type Chance = (percent: number) => boolean;

const MAX_MS = 60_000;

/** Creates routes that are slow or fail on request: `/slow?ms=200` and `/flaky?percent=50`. */
export function faultRoutes(chance: Chance, pause: Pause): readonly Route[] {
  return [
    ["GET", "/slow", (call) => slow(call, pause)],
    ["GET", "/flaky", (call) => flaky(call, chance)],
  ];
}

async function slow(call: DemoCall, pause: Pause): Promise<Response> {
  const ms = Math.min(MAX_MS, Number(call.query("ms") || 200));
  await pause(ms);
  return jsonResponse({ waitedMs: ms });
}

function flaky(call: DemoCall, chance: Chance): Response {
  if (chance(Number(call.query("percent") || 50))) throw new Refusal(500, "flaky on request");
  return jsonResponse({ ok: true });
}

/** Creates a deterministic `Chance`. The same seed gives the same sequence of results. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return (percent) => {
    // The linear congruential generator of Numerical Recipes. Only its high bits matter here.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < percent / 100;
  };
}

/** Creates a `Pause`. Its waits end early if `signal` is aborted. */
export function createPause(signal: AbortSignal): Pause {
  return (ms) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    });
}

const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** Routes of the style sheet, the script and the images that a browser loads with a page. */
export const ASSETS: readonly Route[] = [
  asset("/assets/shop.css", "text/css", "body { font: 1rem/1.5 sans-serif; margin: 2rem }\n"),
  asset("/assets/shop.js", "text/javascript", "document.documentElement.lang ||= 'en';\n"),
  asset("/assets/logo.png", "image/png", PIXEL),
  asset("/favicon.ico", "image/png", PIXEL),
];

function asset(path: string, contentType: string, body: BodyInit): Route {
  const headers = { "content-type": contentType, "cache-control": "max-age=3600" };
  return ["GET", path, () => new Response(body, { headers })];
}
