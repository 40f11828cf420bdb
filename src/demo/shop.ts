/** Error that rejects a request. Its status and message become the response. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ShopUser {
  readonly id: number;
  readonly name: string;
}

/** Session of a visitor. The cookie `sid` contains its id. */
export interface ShopSession {
  readonly id: string;
  readonly user: ShopUser | undefined;
  /** CSRF token for the next request that changes data. Each token is valid once. */
  csrfToken: string;
  /** Cart on the HTML pages. The JSON API has its own carts. */
  readonly basket: Item[];
}

/** A product and its quantity in a cart or an order. */
export interface Item {
  readonly productId: number;
  readonly quantity: number;
}

/** A cart of the JSON API. Only its user can access it. */
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

/** Password of every account. The shop accepts any user name. */
export const PASSWORD = "rehearsal";

/** Default number of products per page. */
const PAGE = 8;

/** In-memory state of the demo shop. Accepts only ids, tokens and cursors that it issued itself. */
export class Shop {
  readonly products: readonly Product[] = createCatalog();
  readonly carts = new BoundedMap<Cart>();
  readonly orders = new BoundedMap<ShopOrder>();
  /** OAuth tickets and authorization codes. Each is valid once. */
  readonly tickets = new BoundedMap<string>();
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

  /** Invalidates the CSRF token of a session. Throws `Refusal` (403) for another token. */
  spendCsrf(session: ShopSession, given: string | null): void {
    if (given !== session.csrfToken) throw new Refusal(403, "the CSRF token is missing or stale");
    session.csrfToken = hexToken();
  }

  user(name: string, password: string): ShopUser {
    if (name === "" || password !== PASSWORD) throw new Refusal(401, "wrong name or password");
    return this.#users.get(name) ?? this.#users.set(name, { id: numericId(), name });
  }

  /** Returns new tokens for an API client. */
  issueTokens(user: ShopUser): { token: string; refreshToken: string } {
    const tokens = { token: bearerToken(user.name), refreshToken: hexToken() };
    this.#bearers.set(tokens.token, user);
    this.#refresh.set(tokens.refreshToken, { user, token: tokens.token });
    return tokens;
  }

  /** Exchanges and invalidates a refresh token. Throws `Refusal` (401) if it is invalid. */
  refresh(refreshToken: string): { token: string; refreshToken: string } {
    const known = this.#refresh.take(refreshToken);
    if (!known) throw new Refusal(401, "the refresh token is unknown or was used before");
    this.#bearers.take(known.token);
    return this.issueTokens(known.user);
  }

  bearer(authorization: string | null): ShopUser {
    const user = this.#bearers.get(authorization?.replace(/^Bearer /, "") ?? "");
    if (user) return user;
    throw new Refusal(401, "the bearer token is missing or unknown, or was replaced by a refresh");
  }

  product(id: number): Product {
    const found = this.products.find((product) => product.id === id);
    if (!found) throw new Refusal(404, "no such product");
    return found;
  }

  /** Returns products whose names contain `query`. Throws `Refusal` (400) for a wrong `cursor`. */
  page(
    query: string,
    cursor: string | null,
    limit: number = PAGE,
  ): { items: Product[]; nextCursor: string | null } {
    const start = cursor === null ? { query, offset: 0 } : this.#cursors.get(cursor);
    if (start?.query !== query) {
      throw new Refusal(400, "the cursor is unknown or belongs to another query");
    }
    const found = this.products.filter(({ name }) => name.toLowerCase().includes(query));
    const offset = start.offset + limit;
    return {
      items: found.slice(start.offset, offset),
      nextCursor: offset < found.length ? this.#cursor({ query, offset }) : null,
    };
  }

  /** Sets the quantity of a product in a cart. Throws `Refusal` (400 or 404). */
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

/** Most entries of a map of the shop, so that load on the shop cannot exhaust the memory. */
const MOST_ENTRIES = 20_000;

/** A map that drops its oldest entries when it is full. */
class BoundedMap<T> {
  readonly #entries = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: T): T {
    this.#entries.set(key, value);
    if (this.#entries.size > MOST_ENTRIES) {
      this.#entries.delete(this.#entries.keys().next().value!);
    }
    return value;
  }

  /** Removes an entry, such as a single-use value, and returns its value if there is an entry. */
  take(key: string): T | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}

export interface Product {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly priceCents: number;
}

const MATERIALS = ["Oak", "Steel", "Linen", "Clay", "Wool", "Glass"];
const THINGS = ["mug", "lamp", "chair", "blanket", "clock", "bowl", "shelf", "notebook"];

function createCatalog(): Product[] {
  const firstId = numericId();
  return MATERIALS.flatMap((material, m) =>
    THINGS.map((thing, t) => ({
      id: firstId + 7 * (m * THINGS.length + t),
      name: `${material} ${thing}`,
      category: thing,
      priceCents: 500 + 350 * t + 125 * m,
    }))
  );
}

/** Creates a random token of 32 hex digits. */
export function hexToken(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function numericId(): number {
  return 100_000 + crypto.getRandomValues(new Uint32Array(1))[0] % 900_000;
}

/** Creates a bearer token in the format of a JWT. The server looks up the whole token. */
function bearerToken(subject: string): string {
  const encode = (part: unknown) =>
    new TextEncoder().encode(JSON.stringify(part))
      .toBase64({ alphabet: "base64url", omitPadding: true });
  const header = { alg: "HS256", typ: "JWT" };
  return `${encode(header)}.${encode({ sub: subject, jti: crypto.randomUUID() })}.${hexToken()}`;
}
