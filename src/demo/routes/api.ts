import { json } from "../answers.ts";
import type { Call } from "../call.ts";
import { Refusal } from "../refusal.ts";
import type { Route } from "../router.ts";
import type { Cart } from "../shop.ts";

/**
 * The JSON API. A change needs the header `x-csrf-token` with the token from the preceding response.
 * Resources of a user need `authorization: Bearer`.
 */
export const API: readonly Route[] = [
  ["GET", "/api/session", ({ session }) => json({ csrfToken: session.csrfToken })],
  ["POST", "/api/login", login],
  ["POST", "/api/refresh", refresh],
  ["GET", "/api/profile", (call) => json({ user: call.bearer() })],
  ["GET", "/api/products", ({ shop, url }) => json(shop.page("", url.searchParams.get("cursor")))],
  ["GET", "/api/products/:id", ({ shop, params }) => json(shop.product(Number(params.id)))],
  ["GET", "/api/search", search],
  ["POST", "/api/carts", createCart],
  ["GET", "/api/carts/:id", (call) => json({ cart: ownCart(call) })],
  ["POST", "/api/carts/:id/items", addItem],
  ["DELETE", "/api/carts/:id", dropCart],
  ["POST", "/api/orders", order],
  ["GET", "/api/orders/:id", ownOrder],
];

async function login(call: Call): Promise<Response> {
  call.spendCsrf();
  const { username, password } = await call.json();
  const user = call.shop.user(String(username ?? ""), String(password ?? ""));
  const { csrfToken } = call.startSession(user);
  return json({ user, ...call.shop.issueTokens(user), csrfToken });
}

async function refresh(call: Call): Promise<Response> {
  const { refreshToken } = await call.json();
  return json(call.shop.refresh(String(refreshToken)));
}

function search({ shop, url }: Call): Response {
  const query = (url.searchParams.get("q") ?? "").toLowerCase();
  return json({ query, ...shop.page(query, url.searchParams.get("cursor"), 3) });
}

function createCart(call: Call): Response {
  const user = call.bearer();
  call.spendCsrf();
  const cart: Cart = { id: crypto.randomUUID(), userId: user.id, items: [] };
  call.shop.carts.set(cart.id, cart);
  return changed(call, { cart }, `/api/carts/${cart.id}`);
}

async function addItem(call: Call): Promise<Response> {
  const cart = ownCart(call);
  call.spendCsrf();
  const { productId, quantity } = await call.json();
  if (typeof productId !== "number" || typeof quantity !== "number") {
    throw new Refusal(400, "productId and quantity must be numbers");
  }
  call.shop.put(cart.items, productId, quantity);
  return changed(call, { cart });
}

function dropCart(call: Call): Response {
  const cart = ownCart(call);
  call.spendCsrf();
  call.shop.carts.take(cart.id);
  return new Response(null, { status: 204 });
}

async function order(call: Call): Promise<Response> {
  const user = call.bearer();
  call.spendCsrf();
  const { cartId } = await call.json();
  const { items } = cartOf(call, String(cartId), user.id);
  if (items.length === 0) throw new Refusal(409, "the cart is empty");
  const order = call.shop.order(user, items);
  return changed(call, { order }, `/api/orders/${order.id}`);
}

function ownOrder(call: Call): Response {
  const order = call.shop.orders.get(call.params.id);
  if (order?.userId !== call.bearer().id) throw new Refusal(404, "no such order");
  return json({ order });
}

function ownCart(call: Call): Cart {
  return cartOf(call, call.params.id, call.bearer().id);
}

function cartOf(call: Call, id: string, userId: number): Cart {
  const cart = call.shop.carts.get(id);
  if (cart?.userId !== userId) throw new Refusal(404, "no such cart");
  return cart;
}

/** Returns the created resource and the token for the next change. */
function changed(call: Call, made: Record<string, unknown>, location?: string): Response {
  const body = { ...made, csrfToken: call.session.csrfToken };
  return json(body, 201, location === undefined ? {} : { location });
}
