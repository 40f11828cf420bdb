import {
  escapeHtml,
  htmlResponse,
  redirectResponse,
  renderForm,
  renderPage,
} from "../shop/responses.ts";
import type { DemoCall } from "../shop/call.ts";
import type { Product } from "../shop/catalog.ts";
import type { Route } from "../shop/router.ts";
import type { Item } from "../shop/shop.ts";

/** Routes of the HTML pages. */
export const SITE: readonly Route[] = [
  ["GET", "/", home],
  ["GET", "/products", products],
  ["GET", "/products/:id", product],
  ["GET", "/deals", () => redirectResponse("/products?q=mug")],
  ["GET", "/login", login],
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

function login({ session }: DemoCall): Response {
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
