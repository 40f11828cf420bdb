import { createCatalogue, type Product } from "./catalogue.ts";
import { bearerToken, hexToken, numericId } from "./token.ts";

/** Error for a request that the shop rejects. The server responds with its status and message. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A signed-in user. */
export interface ShopUser {
  readonly id: number;
  readonly name: string;
}

/** Session state of one visitor, identified by the cookie `sid`. */
export interface ShopSession {
  readonly id: string;
  readonly user: ShopUser | undefined;
  /** CSRF token that the next request which changes data must send. Each token is valid once. */
  csrfToken: string;
  /** Cart that the HTML pages show. The carts of the JSON API are separate. */
  readonly basket: Item[];
}

/** A product in a cart or an order, with its quantity. */
export interface Item {
  readonly productId: number;
  readonly quantity: number;
}

/** A cart of the JSON API. Only the user who created the cart can access it. */
export interface Cart {
  readonly id: string;
  readonly userId: number;
  readonly items: Item[];
}

/** A user's order. */
export interface ShopOrder {
  readonly id: number;
  readonly userId: number;
  readonly items: readonly Item[];
  readonly totalCents: number;
}

/** Tokens that an API client receives when it signs in. */
export interface Tokens {
  readonly token: string;
  readonly refreshToken: string;
}

/** The password of every account; any user name is accepted. */
export const PASSWORD = "rehearsal";

/** Default number of products per page. */
const PAGE = 8;

/** In-memory state of the demo shop. Accepts only ids, tokens and cursors that it issued itself. */
export class Shop {
  readonly products: readonly Product[] = createCatalogue();
  readonly carts: BoundedMap<Cart> = new BoundedMap();
  readonly orders: BoundedMap<ShopOrder> = new BoundedMap();
  /** OAuth tickets and authorization codes. Each is valid once. */
  readonly tickets: BoundedMap<string> = new BoundedMap();
  readonly #sessions = new BoundedMap<ShopSession>();
  readonly #users = new BoundedMap<ShopUser>();
  readonly #bearers = new BoundedMap<ShopUser>();
  readonly #refresh = new BoundedMap<{ user: ShopUser; token: string }>();
  readonly #cursors = new BoundedMap<{ query: string; offset: number }>();

  session(id: string | undefined): ShopSession | undefined {
    return id === undefined ? undefined : this.#sessions.get(id);
  }

  startSession(user?: ShopUser): ShopSession {
    const session = { id: hexToken(), user, csrfToken: hexToken(), basket: [] };
    return this.#sessions.set(session.id, session);
  }

  endSession(session: ShopSession): void {
    this.#sessions.take(session.id);
  }

  /**
   * Invalidates the session's CSRF token. Throws Refusal (403) if `given` is not the current token
   * of the session.
   */
  spendCsrf(session: ShopSession, given: string | null): void {
    if (given !== session.csrfToken) throw new Refusal(403, "the CSRF token is missing or stale");
    session.csrfToken = hexToken();
  }

  user(name: string, password: string): ShopUser {
    if (name === "" || password !== PASSWORD) throw new Refusal(401, "wrong name or password");
    return this.#users.get(name) ?? this.#users.set(name, { id: numericId(), name });
  }

  issueTokens(user: ShopUser): Tokens {
    const tokens = { token: bearerToken(user.name), refreshToken: hexToken() };
    this.#bearers.set(tokens.token, user);
    this.#refresh.set(tokens.refreshToken, { user, token: tokens.token });
    return tokens;
  }

  /**
   * Exchanges a refresh token for new tokens. The earlier refresh token and bearer token become
   * invalid. Throws Refusal (401) if the refresh token is invalid.
   */
  refresh(refreshToken: string): Tokens {
    const known = this.#refresh.take(refreshToken);
    if (!known) throw new Refusal(401, "the refresh token is unknown or was used before");
    this.#bearers.take(known.token);
    return this.issueTokens(known.user);
  }

  bearer(authorization: string | null): ShopUser {
    const user = this.#bearers.get(authorization?.replace(/^Bearer /, "") ?? "");
    if (!user) throw new Refusal(401, "the bearer token is missing, unknown or was refreshed");
    return user;
  }

  product(id: number): Product {
    const found = this.products.find((product) => product.id === id);
    if (!found) throw new Refusal(404, "no such product");
    return found;
  }

  /**
   * Returns one page of the products whose lower-case name contains `query`, with the cursor of the
   * next page, or null for the last page. Throws Refusal (400) for a cursor that is unknown or
   * belongs to another query.
   */
  page(
    query: string,
    cursor: string | null,
    limit: number = PAGE,
  ): { items: Product[]; nextCursor: string | null } {
    const start = cursor === null ? { query, offset: 0 } : this.#cursors.get(cursor);
    if (start?.query !== query) throw new Refusal(400, "the cursor is unknown or of another query");
    const found = this.products.filter(({ name }) => name.toLowerCase().includes(query));
    const offset = start.offset + limit;
    return {
      items: found.slice(start.offset, offset),
      nextCursor: offset < found.length ? this.#cursor({ query, offset }) : null,
    };
  }

  /** Sets the quantity of a product in a cart. */
  put(items: Item[], productId: number, quantity: number): void {
    if (!(Number.isInteger(quantity) && quantity > 0)) {
      throw new Refusal(400, "the quantity must be a whole number above 0");
    }
    const item = { productId: this.product(productId).id, quantity };
    const at = items.findIndex((known) => known.productId === productId);
    items.splice(at < 0 ? items.length : at, 1, item);
  }

  order(user: ShopUser, items: readonly Item[]): ShopOrder {
    const totalCents = items.reduce(
      (sum, { productId, quantity }) => sum + this.product(productId).priceCents * quantity,
      0,
    );
    const order = { id: numericId(), userId: user.id, items, totalCents };
    return this.orders.set(String(order.id), order);
  }

  #cursor(page: { query: string; offset: number }): string {
    const cursor = hexToken();
    this.#cursors.set(cursor, page);
    return cursor;
  }
}

/** A map that drops its oldest entries, so that load on the shop cannot exhaust memory. */
export class BoundedMap<T> {
  readonly #entries = new Map<string, T>();
  readonly #limit: number;

  /** Creates a map with at most `limit` entries. */
  constructor(limit: number = 20_000) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: T): T {
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) {
      this.#entries.delete(this.#entries.keys().next().value!);
    }
    return value;
  }

  /**
   * Removes the entry of `key` and returns its value, or undefined if there is none. Use it for
   * single-use values.
   */
  take(key: string): T | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}
