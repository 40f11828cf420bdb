import { expectSent, json, type ModelApp, page, redirect, route } from "../model_app.ts";

/** JSON API with bearer tokens: login, refresh, UUIDs, cursors, ETags. */
const bearer: ModelApp = {
  name: "spa_bearer",
  creator: "WebInspector/537.36",
  origin: "https://app.example",
  serve(fresh) {
    let [access, refresh] = ["", ""];
    const tokens = () => {
      access = fresh.jwt({ sub: fresh.uuid(), iat: Math.floor(fresh.now() / 1000) });
      refresh = fresh.token(48);
      return json({
        access_token: access,
        refresh_token: refresh,
        token_type: "bearer",
        expires_in: 900,
      });
    };
    const projects = new Map<string, string>();
    const bearerOf = (headers: Readonly<Record<string, string>>) =>
      expectSent(headers.authorization, `Bearer ${access}`);
    const cursors = [fresh.token(24), fresh.token(24), fresh.token(24)];
    return route({
      "POST /api/auth/login": () => tokens(),
      "POST /api/auth/refresh": (
        { json: sent },
      ) => (expectSent(sent.refresh_token, refresh), tokens()),
      "GET /api/me": (
        { headers },
      ) => (bearerOf(headers), json({ id: fresh.uuid(), theme: "dark" })),
      "POST /api/projects": ({ headers, json: sent }) => {
        bearerOf(headers);
        const id = fresh.uuid();
        projects.set(id, `"${fresh.hex(16)}"`);
        return json({ id, name: sent.name, share: { slug: fresh.token(10) } }, 201, {
          ETag: projects.get(id)!,
          Location: `/api/projects/${id}`,
        });
      },
      "PATCH /api/projects/:id": ({ headers }, { id }) => {
        expectSent(headers["if-match"], projects.get(id)!);
        projects.set(id, `"${fresh.hex(16)}"`);
        return json({ id }, 200, { ETag: projects.get(id)! });
      },
      "GET /api/shares/:slug": (_, { slug }) => json({ slug, views: 1 }),
      "GET /api/events": ({ query }) => {
        const at = query.get("after") === null ? 0 : cursors.indexOf(query.get("after")!) + 1;
        return json({ items: [{ id: fresh.uuid() }], paging: { next: cursors[at] ?? null } });
      },
    });
  },
  use(browser) {
    let auth = browser.fetch("POST", "/api/auth/login", {
      json: { email: "kit@app.example", password: "pw-kit" },
    }).json;
    const headers = () => ({ Authorization: `Bearer ${auth.access_token}` });
    browser.fetch("GET", "/api/me", { headers: headers() });
    for (const name of ["Alpha", "Beta", "Gamma"]) {
      const made = browser.fetch("POST", "/api/projects", { headers: headers(), json: { name } });
      const { id, share } = made.json;
      const changed = browser.fetch("PATCH", `/api/projects/${id}`, {
        headers: { ...headers(), "If-Match": made.header("etag")! },
        json: { name: `${name}!` },
      });
      browser.fetch("PATCH", `/api/projects/${id}`, {
        headers: { ...headers(), "If-Match": changed.header("etag")! },
        json: { archived: true },
      });
      browser.fetch("GET", `/api/shares/${share.slug}`);
      auth =
        browser.fetch("POST", "/api/auth/refresh", { json: { refresh_token: auth.refresh_token } })
          .json;
    }
    let next: string | null = null;
    do {
      const query: string = next === null ? "" : `&after=${next}`;
      next = browser.fetch("GET", `/api/events?limit=1${query}`, { headers: headers() }).json.paging
        .next;
    } while (next !== null);
  },
};

/** GraphQL: Relay ids, and mutations with ids that the client generates. */
const relay: ModelApp = {
  name: "graphql_issues",
  creator: "WebInspector/537.36",
  origin: "https://track.example",
  serve(fresh) {
    const id = (type: string) => btoa(`${type}:${fresh.digits(6)}`);
    const repository = id("Repository");
    return route({
      "POST /graphql": ({ json: { operationName, variables } }) => {
        switch (operationName) {
          case "Viewer":
            return json({
              data: {
                viewer: {
                  id: id("User"),
                  repositories: {
                    edges: [
                      { cursor: id("cursor"), node: { id: id("Repository"), name: "docs" } },
                      { cursor: id("cursor"), node: { id: repository, name: "server" } },
                    ],
                  },
                },
              },
            });
          case "CreateIssue":
            expectSent(variables.input.repositoryId, repository);
            return json({
              data: {
                createIssue: {
                  clientMutationId: variables.input.clientMutationId,
                  issue: { id: id("Issue"), number: 100 + fresh.below(800) },
                },
              },
            });
          case "AddComment":
            return json({ data: { addComment: { commentEdge: { node: { id: id("Comment") } } } } });
          default:
            return json({ data: { ok: true } });
        }
      },
      "GET /server/issues/:number": (_, { number }) => page(`<h1>Issue ${number}</h1>`),
    });
  },
  use(browser, client) {
    const send = (operationName: string, input: Record<string, unknown>) =>
      browser.fetch("POST", "/graphql", {
        json: { operationName, query: `mutation ${operationName} { ok }`, variables: { input } },
      }).json.data;
    const { edges } = send("Viewer", {}).viewer.repositories;
    for (const title of ["Crash", "Typo", "Slow"]) {
      const { issue } = send("CreateIssue", {
        repositoryId: edges[1].node.id,
        title,
        clientMutationId: client.uuid(),
      }).createIssue;
      const comment =
        send("AddComment", { subjectId: issue.id, body: "Seen too" }).addComment.commentEdge.node;
      send("AddReaction", { subjectId: comment.id, content: "THUMBS_UP" });
      browser.fetch("GET", `/server/issues/${issue.number}`);
      send("CloseIssue", { issueId: issue.id });
    }
  },
};

/** Directus-like admin app: short ids in JSON, presets, files with UUIDs, revisions. */
const headless: ModelApp = {
  name: "headless_cms",
  creator: "Firefox/143.0",
  origin: "https://cms.example",
  serve(fresh) {
    let preset = 2 + fresh.below(40);
    let item = 50 + fresh.below(400);
    let revision = 2000 + fresh.below(7000);
    const access = () => fresh.jwt({ id: fresh.uuid() });
    return route({
      "POST /auth/login": () => ({
        ...json({ data: { access_token: access(), expires: 900_000 } }),
        cookies: [`refresh=${fresh.token(64)}; HttpOnly`],
      }),
      "GET /users/me": () =>
        json({ data: { id: fresh.uuid(), role: fresh.uuid(), last_page: "/content" } }),
      "PATCH /users/:id": (_, { id }) => json({ data: { id } }),
      "GET /roles/:id": (_, { id }) => json({ data: { id, name: "Editor" } }),
      "GET /presets": () => json({ data: [{ id: 1, collection: "users" }] }),
      "POST /presets": ({ json: sent }) => json({ data: { id: preset++, ...sent } }),
      "PATCH /presets/:id": (_, { id }) => json({ data: { id: Number(id) } }),
      "POST /items/articles": ({ json: sent }) =>
        json({
          data: {
            id: item++,
            title: sent.title,
            date_created: new Date(fresh.now()).toISOString(),
          },
        }),
      "GET /items/articles/:id": (_, { id }) => json({ data: { id: Number(id), title: "x" } }),
      "PATCH /items/articles/:id": (_, { id }) => json({ data: { id: Number(id) } }),
      "GET /revisions": () =>
        json({ data: [{ id: revision++, activity: { id: revision + 5, action: "update" } }] }),
      "GET /revisions/:id": (_, { id }) => json({ data: { id: Number(id), delta: {} } }),
      "POST /files": () =>
        json({ data: { id: fresh.uuid(), filename_disk: `${fresh.uuid()}.png`, title: "Pic" } }),
      "GET /assets/:name": () => json({ ok: true }),
    });
  },
  use(browser) {
    const { access_token } =
      browser.fetch("POST", "/auth/login", { json: { email: "al@cms.example", password: "pw-al" } })
        .json.data;
    const headers = { Authorization: `Bearer ${access_token}` };
    const me = browser.fetch("GET", "/users/me", { headers }).json.data;
    browser.fetch("GET", `/roles/${me.role}?fields=*`, { headers });
    browser.fetch("PATCH", `/users/${me.id}`, {
      headers,
      json: { last_page: "/content/articles" },
    });
    browser.fetch("GET", "/presets?filter[user]=" + me.id, { headers });
    for (const title of ["One", "Two", "Three"]) {
      const preset = browser.fetch("POST", "/presets", {
        headers,
        json: { collection: "articles", user: me.id },
      }).json.data;
      browser.fetch("PATCH", `/presets/${preset.id}`, { headers, json: { layout: "tabular" } });
      const { id } =
        browser.fetch("POST", "/items/articles", { headers, json: { title } }).json.data;
      browser.fetch("GET", `/items/articles/${id}?fields=*`, { headers });
      const file = browser.fetch("POST", "/files", { headers, json: { title } }).json.data;
      browser.fetch("GET", `/assets/${file.filename_disk}?width=64`, { headers });
      browser.fetch("PATCH", `/items/articles/${id}`, { headers, json: { image: file.id } });
      const revision =
        browser.fetch("GET", `/revisions?filter[item]=${id}`, { headers }).json.data[0];
      browser.fetch("GET", `/revisions/${revision.id}`, { headers });
    }
  },
};

/**
 * Notebook server with kernels. The client sends the token in a cookie also in a header, and sends
 * timestamps back.
 */
const notebook: ModelApp = {
  name: "notebook",
  creator: "WebInspector/537.36",
  origin: "https://lab.example",
  serve(fresh) {
    const xsrf = `2|${fresh.hex(8)}|${fresh.hex(32)}|${Math.floor(fresh.now() / 1000)}`;
    const files = new Map<string, string>();
    const stamp = () => new Date(fresh.now()).toISOString().replace("Z", `${fresh.digits(3)}Z`);
    const model = (path: string) =>
      json({ path, type: "notebook", last_modified: files.get(path) });
    let untitled = fresh.below(30) + 2;
    return route({
      "GET /lab": () => ({
        ...page(
          '<script id="jupyter-config-data" type="application/json">{"baseUrl":"/","token":"' +
            fresh.hex(48) + '"}</script>',
        ),
        cookies: [`_xsrf=${xsrf}; Path=/`],
      }),
      "POST /api/contents": ({ headers }) => {
        expectSent(headers["x-xsrftoken"], xsrf);
        const path = `Untitled${untitled++}.ipynb`;
        files.set(path, stamp());
        return model(path);
      },
      "GET /api/contents/:path": (_, { path }) => model(path),
      "PUT /api/contents/:path": (
        { json: sent },
        { path },
      ) => (expectSent(sent.last_modified, files.get(path)!),
        files.set(path, stamp()),
        model(path)),
      "POST /api/sessions": () =>
        json({ id: fresh.uuid(), kernel: { id: fresh.uuid(), name: "python3" } }, 201),
      "POST /api/kernels/:id/interrupt": () => ({ status: 204 }),
      "DELETE /api/sessions/:id": () => ({ status: 204 }),
      "GET /api/kernels": (
        { query },
      ) => (expectSent(query.get("token")?.length.toString(), "48"), json([])),
    });
  },
  use(browser) {
    const lab = browser.open("/lab");
    const token = lab.match(/"token":"(\w+)/);
    const headers = () => ({ "X-XSRFToken": browser.cookie("_xsrf") });
    browser.fetch("GET", `/api/kernels?token=${token}`);
    for (let i = 0; i < 3; i++) {
      const made =
        browser.fetch("POST", "/api/contents", { headers: headers(), json: { type: "notebook" } })
          .json;
      const opened = browser.fetch("GET", `/api/contents/${made.path}?type=notebook`).json;
      const session = browser.fetch("POST", "/api/sessions", {
        headers: headers(),
        json: { path: made.path, kernel: { name: "python3" } },
      }).json;
      browser.fetch("POST", `/api/kernels/${session.kernel.id}/interrupt`, { headers: headers() });
      const saved = browser.fetch("PUT", `/api/contents/${made.path}`, {
        headers: headers(),
        json: { last_modified: opened.last_modified, content: {} },
      }).json;
      browser.fetch("PUT", `/api/contents/${made.path}`, {
        headers: headers(),
        json: { last_modified: saved.last_modified, content: { a: 1 } },
      });
      browser.fetch("DELETE", `/api/sessions/${session.id}`, { headers: headers() });
    }
  },
};

/** HAL: the client follows links and never builds a URL. */
const hal: ModelApp = {
  name: "hal_links",
  creator: "WebInspector/537.36",
  origin: "https://bank.example",
  serve(fresh) {
    const link = (path: string) => ({ href: `https://bank.example/v2/${path}` });
    return route({
      "GET /v2/": () =>
        json({
          _links: {
            accounts: link(`customers/${fresh.digits(7)}/accounts`),
            session: link(`sessions/${fresh.token(12)}`),
          },
        }),
      "GET /v2/sessions/:id": (_, { id }) => json({ _links: { self: link(`sessions/${id}`) } }),
      "GET /v2/customers/:id/accounts": () =>
        json({
          _embedded: {
            accounts: ["Current", "Savings"].map((name) => ({
              name,
              _links: {
                self: link(`accounts/${fresh.token(14)}`),
                transfers: link(`accounts/${fresh.token(14)}/transfers`),
              },
            })),
          },
        }),
      "GET /v2/accounts/:id": (_, { id }) =>
        json({ iban: "DE00", _links: { self: link(`accounts/${id}`) } }),
      "POST /v2/accounts/:id/transfers": () =>
        json({
          _links: {
            confirm: link(`transfers/${fresh.uuid()}/confirm?challenge=${fresh.token(20)}`),
            cancel: link(`transfers/${fresh.below(900) + 50}/cancel`),
          },
        }, 201),
      "POST /v2/transfers/:id/confirm": () =>
        json({ state: "done", receipt: `/receipts/${fresh.digits(9)}.pdf` }),
      "GET /receipts/:name": () => json({ ok: true }),
    });
  },
  use(browser) {
    const root = browser.fetch("GET", "/v2/").json._links;
    browser.fetch("GET", root.session.href);
    const [current, savings] = browser.fetch("GET", root.accounts.href).json._embedded.accounts;
    browser.fetch("GET", current._links.self.href);
    browser.fetch("GET", savings._links.self.href);
    for (const amount of [10, 20, 30]) {
      const transfer =
        browser.fetch("POST", current._links.transfers.href, { json: { amount } }).json;
      const done = browser.fetch("POST", transfer._links.confirm.href, { json: {} }).json;
      browser.fetch("GET", done.receipt);
    }
  },
};

/**
 * A shop with cart tokens, line-item numbers, an order number that contains a date, and a checkout
 * URL that contains a token.
 */
const shop: ModelApp = {
  name: "shop_checkout",
  creator: "Firefox/143.0",
  origin: "https://store.example",
  serve(fresh) {
    let line = 4 + fresh.below(90);
    let order = 10_000 + fresh.below(80_000);
    const products = ["lamp", "chair", "table"].map((slug, i) => ({
      id: 700 + i,
      slug,
      title: slug.toUpperCase(),
      variants: [{ id: Number(fresh.digits(11)), price: 1999 + i }],
    }));
    return route({
      "GET /products.json": () => json({ products }),
      "POST /cart/add.js": () => ({
        ...json({
          token: fresh.hex(32),
          items: [{ key: `${fresh.digits(11)}:${fresh.hex(32)}`, line: line++ }],
        }),
        cookies: [`cart=${fresh.hex(32)}; path=/`],
      }),
      "POST /cart/change.js": () => json({ item_count: 2 }),
      "POST /cart": () => redirect(`https://store.example/checkouts/cn/${fresh.token(32)}`),
      "GET /checkouts/cn/:token": (_, { token }) =>
        page(
          `<form id="pay" method="post" action="/checkouts/cn/${token}/complete"><input type="hidden" name="queue_token" value="${
            fresh.token(60)
          }"><input type="hidden" name="stable_id" value="${fresh.uuid()}"></form>`,
        ),
      "POST /checkouts/cn/:token/complete": () =>
        redirect(`/orders/2026-${order++}/thank-you?key=wc_order_${fresh.token(13)}`, 303),
      "GET /orders/:number/thank-you": ({ query }, { number }) =>
        page(`<a href="/orders/${number}/invoice?key=${query.get("key")}">Invoice</a>`),
      "GET /orders/:number/invoice": () => page("<p>Invoice</p>"),
    });
  },
  use(browser) {
    const { products } = browser.fetch("GET", "/products.json").json;
    for (const product of [products[1], products[2]]) {
      const cart = browser.fetch("POST", "/cart/add.js", {
        form: [["id", String(product.variants[0].id)], ["quantity", "1"]],
      }).json;
      browser.fetch("POST", "/cart/change.js", { json: { id: cart.items[0].key, quantity: 2 } });
      const checkout = browser.post("/cart", [["checkout", ""]]);
      const thanks = browser.submit(checkout, "#pay", { email: "joe@store.example" });
      browser.open(thanks.link("Invoice"));
    }
  },
};

export const SINGLE_PAGE: readonly ModelApp[] = [bearer, relay, headless, notebook, hal, shop];
