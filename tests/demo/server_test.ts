import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { type DemoOptions, startDemo } from "../../src/demo/server.ts";
import { visitor } from "../support/visitor.ts";

type Visit = ReturnType<typeof visitor>;

async function shop(test: (visit: Visit, origin: string) => Promise<void>, options?: DemoOptions) {
  const server = startDemo(options);
  try {
    await test(visitor(server.origin), server.origin);
  } finally {
    await server.stop();
  }
}

async function status(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

async function json(response: Promise<Response>, expected: number) {
  const got = await response;
  assertEquals(got.status, expected);
  return await got.json();
}

function send(csrf: string, body: unknown, token = ""): RequestInit {
  const headers = { "x-csrf-token": csrf, authorization: `Bearer ${token}` };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

async function signIn(visit: Visit) {
  const { csrfToken } = await json(visit("/api/session"), 200);
  const who = { username: "ada", password: "rehearsal" };
  return await json(visit("/api/login", send(csrfToken, who)), 200);
}

const token = (page: string) => /name="csrf_token" value="(\w+)"/.exec(page)![1];

Deno.test("the demo shop accepts an order if each request sends the values from the preceding response", () =>
  shop(async (visit) => {
    const { token, csrfToken, user } = await signIn(visit);
    assertMatch(token, /^eyJ[\w-]+\.eyJ[\w-]+\.\w+$/);
    const { items } = await json(visit("/api/products"), 200);
    const made = await json(visit("/api/carts", send(csrfToken, {}, token)), 201);
    const item = { productId: items[2].id, quantity: 3 };
    const path = `/api/carts/${made.cart.id}/items`;
    const filled = await json(visit(path, send(made.csrfToken, item, token)), 201);
    const cart = { cartId: made.cart.id };
    const placed = await json(visit("/api/orders", send(filled.csrfToken, cart, token)), 201);
    const { order } = await json(
      visit(`/api/orders/${placed.order.id}`, { headers: { authorization: `Bearer ${token}` } }),
      200,
    );
    assertEquals(order, {
      id: placed.order.id,
      userId: user.id,
      items: [item],
      totalCents: 3 * items[2].priceCents,
    });
  }));

Deno.test("the demo shop accepts a CSRF token only once", () =>
  shop(async (visit) => {
    const { token, csrfToken } = await signIn(visit);
    assertEquals(await status(visit("/api/carts", send(csrfToken, {}, token))), 201);
    assertEquals(await status(visit("/api/carts", send(csrfToken, {}, token))), 403);
    assertEquals(await status(visit("/api/carts", send("", {}, token))), 403);
  }));

Deno.test("/api/refresh invalidates the old bearer token and the old refresh token", () =>
  shop(async (visit) => {
    const { token, refreshToken } = await signIn(visit);
    const profile = (token: string) =>
      status(visit("/api/profile", { headers: { authorization: `Bearer ${token}` } }));
    assertEquals(await profile(token), 200);
    const fresh = await json(visit("/api/refresh", send("", { refreshToken })), 200);
    assertEquals([await profile(token), await profile(fresh.token)], [401, 200]);
    assertEquals(await status(visit("/api/refresh", send("", { refreshToken }))), 401);
  }));

Deno.test("the demo shop rejects ids and tokens from another server or another user", () =>
  shop(async (visit, origin) => {
    const { token, csrfToken } = await signIn(visit);
    const { items } = await json(visit("/api/products"), 200);
    const { cart } = await json(visit("/api/carts", send(csrfToken, {}, token)), 201);
    await shop(async (other) => {
      const theirs = await json(other("/api/products"), 200);
      assertNotEquals(theirs.items[0].id, items[0].id);
      assertEquals(theirs.items[0].name, items[0].name);
      assertEquals(await status(other(`/products/${items[0].id}`)), 404);
      assertEquals(await status(other("/api/carts", send(csrfToken, {}, token))), 401);
      assertEquals(await status(other("/oauth/callback?code=0123456789abcdef")), 403);
    });
    const stranger = visitor(origin);
    const session = await json(stranger("/api/session"), 200);
    const who = { username: "bob", password: "rehearsal" };
    const bob = await json(stranger("/api/login", send(session.csrfToken, who)), 200);
    const headers = { authorization: `Bearer ${bob.token}` };
    assertEquals(await status(stranger(`/api/carts/${cart.id}`, { headers })), 404);
  }));

Deno.test("the demo shop rejects invalid requests", () =>
  shop(async (visit) => {
    const { token, csrfToken } = await signIn(visit);
    const { cart, csrfToken: next } = await json(
      visit("/api/carts", send(csrfToken, {}, token)),
      201,
    );
    const wrong = send(next, { productId: "12", quantity: 1 }, token);
    assertEquals(await status(visit(`/api/carts/${cart.id}/items`, wrong)), 400);
    assertEquals(await status(visit("/api/search?q=mug&cursor=none")), 400);
    assertEquals(await status(visit("/api/refresh", { method: "POST", body: "{" })), 400);
    assertEquals(await status(visit("/nowhere")), 404);
  }));

Deno.test("following the cursors of /api/search returns each matching product once", () =>
  shop(async (visit) => {
    const names: string[] = [];
    for (let cursor = "";;) {
      const { items, nextCursor } = await json(visit(`/api/search?q=Mug${cursor}`), 200);
      names.push(...items.map((item: { name: string }) => item.name));
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    assertEquals(names.length, 6);
    assertEquals(new Set(names).size, 6);
  }));

Deno.test("the login form signs the user in and starts a new session", () =>
  shop(async (visit) => {
    assertEquals((await visit("/account")).headers.get("location"), "/login");
    const page = await (await visit("/login")).text();
    assert(page.includes(`<meta name="csrf-token" content="${token(page)}">`));
    const form = (csrf_token: string, password: string) => ({
      method: "POST",
      body: new URLSearchParams({ csrf_token, username: "a<b>", password }),
    });
    assertEquals(await status(visit("/login", form("stale", "rehearsal"))), 403);
    assertEquals(await status(visit("/login", form(token(page), "guess"))), 401);
    const again = token(await (await visit("/login")).text());
    const entered = await visit("/login", form(again, "rehearsal"));
    assertEquals([entered.status, entered.headers.get("location")], [302, "/account"]);
    assertMatch(entered.headers.get("set-cookie")!, /^sid=\w{32}; Path=\/; HttpOnly/);
    assertMatch(await (await visit("/account")).text(), /Hello a&lt;b&gt;, customer \d{6}/);
  }));

Deno.test("the form on a product page adds the product to the cart", () =>
  shop(async (visit) => {
    const { items } = await json(visit("/api/products"), 200);
    const page = await (await visit(`/products/${items[0].id}`)).text();
    const fields = { csrf_token: token(page), product_id: `${items[0].id}`, quantity: "2" };
    const body = new URLSearchParams(fields);
    assertEquals(await status(visit("/cart", { method: "POST", body })), 303);
    assertMatch(await (await visit("/cart")).text(), /2 × Oak mug/);
  }));

Deno.test("the OAuth sign-in is a chain of redirects whose codes work only once", () =>
  shop(async (visit) => {
    let at = "/oauth/authorize";
    const seen = [];
    while (at !== "/account") {
      const response = await visit(at);
      assertEquals(response.status, 302);
      seen.push(at);
      at = response.headers.get("location")!;
    }
    assertEquals(seen.map((path) => path.split("?")[0]), [
      "/oauth/authorize",
      "/oauth/consent",
      "/oauth/callback",
    ]);
    assertEquals(await status(visit("/account")), 200);
    assertEquals(await status(visit(seen[2])), 403);
  }));

Deno.test("the demo shop serves assets, also to HEAD requests", () =>
  shop(async (visit) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, body } = await visit("/assets/logo.png", { method });
      await body?.cancel();
      assertEquals([status, headers.get("content-type")], [200, "image/png"]);
    }
  }));

Deno.test("the demo shop delays or fails responses on request", () =>
  shop(async (visit) => {
    const start = performance.now();
    assertEquals(await status(visit("/slow?ms=5")), 200);
    assert(performance.now() - start > 4);
    assertEquals(await status(visit("/flaky?percent=0")), 200);
    assertEquals(await status(visit("/flaky?percent=100")), 500);
  }));

Deno.test("the demo shop rejects a body above 1 MiB", () =>
  shop(async (visit) => {
    const login = (size: number) =>
      status(visit("/login", { method: "POST", body: "x".repeat(size) }));
    assertEquals(await login(2 ** 20 + 1), 413);
    assertNotEquals(await login(100), 413);
  }));

Deno.test("startDemo fails about `failPercent` percent of requests", async () => {
  await shop(async (visit) => {
    let failed = 0;
    for (let i = 0; i < 200; i++) if (await status(visit("/deals")) === 500) failed++;
    assert(failed > 20 && failed < 100, `${failed} of 200`);
  }, { failPercent: 30 });
});

Deno.test("the statistics of the demo server count responses by route and status", async () => {
  const server = startDemo({ catchAll: true });
  try {
    const visit = visitor(server.origin);
    for (const path of ["/products/1", "/products/2", "/any/path?x=1", "/any/path"]) {
      await status(visit(path));
    }
    const expected = {
      requests: 4,
      served: [
        { method: "GET", path: "/products/:id", status: 404, count: 2 },
        { method: "GET", path: "/any/path", status: 200, count: 2 },
      ],
    };
    assertEquals(await json(visit("/_stats"), 200), expected);
    assertEquals(server.stats(), expected);
  } finally {
    await server.stop();
  }
});

Deno.test("stopping the demo server aborts requests in progress", async () => {
  const server = startDemo();
  const slow = fetch(`${server.origin}/slow?ms=60000`).then(() => "completed", () => "aborted");
  await status(fetch(`${server.origin}/_stats`)); // Ensures that the slow request is in progress.
  await server.stop();
  assertEquals(await slow, "aborted");
});
