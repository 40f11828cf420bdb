import { jsonResponse } from "../shop/responses.ts";
import type { DemoCall } from "../shop/call.ts";
import { type Cart, Refusal } from "../shop/shop.ts";
import type { Route } from "../shop/router.ts";

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

/** Returns a response with the changed resource and the CSRF token for the next change. */
function changed(call: DemoCall, made: Record<string, unknown>, location?: string): Response {
  const body = { ...made, csrfToken: call.session.csrfToken };
  return jsonResponse(body, 201, location === undefined ? {} : { location });
}
