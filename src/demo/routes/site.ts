import { html, redirect } from "../answers.ts";
import type { Call } from "../call.ts";
import type { Product } from "../catalogue.ts";
import { escapeHtml, form, page } from "../html.ts";
import type { Route } from "../router.ts";
import type { Item } from "../shop.ts";

/** The HTML pages. */
export const SITE: readonly Route[] = [
  ["GET", "/", home],
  ["GET", "/products", products],
  ["GET", "/products/:id", product],
  ["GET", "/deals", () => redirect("/products?q=mug")],
  ["GET", "/login", login],
  ["POST", "/login", signIn],
  ["POST", "/logout", signOut],
  ["GET", "/account", account],
  ["GET", "/cart", cart],
  ["POST", "/cart", addToCart],
];

function home({ session, shop }: Call): Response {
  return html(page("Welcome", session.csrfToken, list(shop.products.slice(0, 5))));
}

function products(call: Call): Response {
  const { items } = call.shop.page(call.query("q").toLowerCase(), null, 20);
  return html(page("Products", call.session.csrfToken, list(items)));
}

function product({ params, session, shop }: Call): Response {
  const { id, name, priceCents } = shop.product(Number(params.id));
  const fields = `<input type="hidden" name="product_id" value="${id}">
<input type="number" name="quantity" value="1">`;
  const buy = form("/cart", session.csrfToken, fields, "Add to cart");
  return html(page(name, session.csrfToken, `<p>${money(priceCents)}</p>\n${buy}`));
}

function login({ session }: Call): Response {
  const fields = `<input name="username"> <input name="password" type="password">`;
  const body = form("/login", session.csrfToken, fields, "Sign in");
  return html(page("Sign in", session.csrfToken, body));
}

async function signIn(call: Call): Promise<Response> {
  const form = await call.form();
  const user = call.shop.user(form.get("username") ?? "", form.get("password") ?? "");
  call.startSession(user);
  return redirect("/account");
}

async function signOut(call: Call): Promise<Response> {
  await call.form();
  call.startSession();
  return redirect("/", 303);
}

function account({ session }: Call): Response {
  if (!session.user) return redirect("/login");
  const greeting = `<p>Hello ${escapeHtml(session.user.name)}, customer ${session.user.id}.</p>`;
  const leave = form("/logout", session.csrfToken, "", "Sign out");
  return html(page("Account", session.csrfToken, `${greeting}\n${leave}`));
}

function cart({ session, shop }: Call): Response {
  const lines = session.basket.map((item) => `<li>${cartLine(item, shop.product(item.productId))}`);
  return html(page("Cart", session.csrfToken, `<ul>\n${lines.join("\n")}\n</ul>`));
}

async function addToCart(call: Call): Promise<Response> {
  const form = await call.form();
  const [product, quantity] = [Number(form.get("product_id")), Number(form.get("quantity"))];
  call.shop.put(call.session.basket, product, quantity);
  return redirect("/cart", 303);
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
