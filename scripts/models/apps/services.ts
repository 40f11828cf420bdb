import { expectSent, json, type ModelApp, page, redirect, route } from "../model_app.ts";

/**
 * OData: a CSRF token that the client requests with a header, entity URLs, ETags that contain a
 * time.
 */
const odata: ModelApp = {
  name: "odata_orders",
  creator: "Fiddler/5.0",
  origin: "https://sap.example",
  serve(fresh) {
    const token = `${fresh.token(22)}==`;
    const tag = () =>
      `W/"datetimeoffset'${encodeURIComponent(new Date(fresh.now()).toISOString())}'"`;
    const tags = new Map<string, string>();
    const entity = (guid: string) => ({
      __metadata: { uri: `https://sap.example/odata/Orders(guid'${guid}')`, etag: tags.get(guid) },
      OrderGuid: guid,
      Status: "NEW",
    });
    return route({
      "GET /odata/": (
        { headers },
      ) => (expectSent(headers["x-csrf-token"], "Fetch"),
        json({ d: { EntitySets: ["Orders"] } }, 200, { "x-csrf-token": token })),
      "POST /odata/Orders": ({ headers }) => {
        expectSent(headers["x-csrf-token"], token);
        const guid = fresh.uuid();
        tags.set(guid, tag());
        return json({ d: entity(guid) }, 201, { Location: entity(guid).__metadata.uri });
      },
      "GET /odata/:entity": (_, { entity: name }) => json({ d: { name } }),
      "POST /odata/:entity/Items": () => json({ d: { ItemNo: fresh.digits(10) } }, 201),
      "PATCH /odata/:entity": ({ headers }, { entity: name }) => {
        const guid = /'(.*)'/.exec(decodeURIComponent(name))![1];
        expectSent(headers["if-match"], tags.get(guid)!);
        tags.set(guid, tag());
        return { status: 204, headers: { ETag: tags.get(guid)! } };
      },
    });
  },
  use(browser) {
    const token = browser.fetch("GET", "/odata/", { headers: { "X-CSRF-Token": "Fetch" } }).header(
      "x-csrf-token",
    )!;
    const headers = { "X-CSRF-Token": token };
    for (const customer of ["ACME", "Initech", "Hooli"]) {
      const { __metadata } =
        browser.fetch("POST", "/odata/Orders", { headers, json: { Customer: customer } }).json.d;
      const item =
        browser.fetch("POST", `${__metadata.uri}/Items`, { headers, json: { Product: "HT-1000" } })
          .json.d;
      const changed = browser.fetch("PATCH", __metadata.uri, {
        headers: { ...headers, "If-Match": __metadata.etag },
        json: { Status: "OPEN", MainItem: item.ItemNo },
      });
      browser.fetch("PATCH", __metadata.uri, {
        headers: { ...headers, "If-Match": changed.header("etag")! },
        json: { Status: "DONE" },
      });
    }
  },
};

/** Chat: 64-bit ids beyond 2^53 as numbers and as text, nonces from the client, long polling. */
const chat: ModelApp = {
  name: "chat_rooms",
  creator: "WebInspector/537.36",
  origin: "https://chat.example",
  serve(fresh) {
    const snowflake = () => `1${fresh.digits(18)}`;
    const raw = (text: string) => ({ type: "application/json", body: text });
    let batch = 0;
    return route({
      "POST /api/session": () => json({ session: { sid: fresh.token(28), user: snowflake() } }),
      "POST /api/rooms": () =>
        raw(`{"id":${snowflake()},"name":"r","invite":{"code":"${fresh.token(8)}"}}`),
      "POST /api/rooms/:room/messages": ({ json: sent }) =>
        json({
          id: snowflake(),
          nonce: sent.nonce,
          edited_at: new Date(fresh.now()).toISOString(),
        }),
      "PATCH /api/rooms/:room/messages/:id": () => json({ ok: true }),
      "PUT /api/rooms/:room/read": () => ({ status: 204 }),
      "GET /api/poll": () =>
        json({ next_batch: `s${fresh.digits(5)}_${batch++}_${fresh.digits(3)}`, events: [] }),
      "GET /join/:code": (_, { code }) => page(`<p>${code}</p>`),
    });
  },
  use(browser, client) {
    const { sid, user } =
      browser.fetch("POST", "/api/session", { json: { login: "sam" } }).json.session;
    let since = browser.fetch("GET", `/api/poll?sid=${sid}`).json.next_batch;
    for (const name of ["general", "random", "help"]) {
      const made = browser.fetch("POST", "/api/rooms", {
        headers: { "X-Session": sid },
        json: { name, owner: user },
      });
      const room = made.match(/"id":(\d+)/);
      const message = browser.fetch("POST", `/api/rooms/${room}/messages`, {
        headers: { "X-Session": sid },
        json: { text: "hi", nonce: client.digits(18) },
      }).json;
      browser.fetch("PATCH", `/api/rooms/${room}/messages/${message.id}`, {
        json: { text: "hi!", if_edited_at: message.edited_at },
      });
      browser.fetch("PUT", `/api/rooms/${room}/read`, { json: { up_to: message.id } });
      browser.fetch("GET", `/join/${made.match(/"code":"(\w+)/)}`);
      since = browser.fetch("GET", `/api/poll?sid=${sid}&since=${since}`).json.next_batch;
    }
  },
};

/**
 * Payment provider: prefixed ids, a secret that contains an id, idempotency keys from the client.
 */
const payments: ModelApp = {
  name: "payments",
  creator: "WebInspector/537.36",
  origin: "https://pay.example",
  serve(fresh) {
    return route({
      "POST /v1/customers": () =>
        json({
          id: `cus_${fresh.token(14)}`,
          object: "customer",
          invoice_prefix: fresh.hex(8).toUpperCase(),
        }),
      "POST /v1/payment_intents": () => {
        const id = `pi_${fresh.token(24)}`;
        return json({ id, client_secret: `${id}_secret_${fresh.token(25)}`, latest_charge: null });
      },
      "POST /v1/payment_methods": () =>
        json({ id: `pm_${fresh.token(24)}`, card: { fingerprint: fresh.token(16) } }),
      "POST /v1/payment_intents/:id/confirm": ({ form }, { id }) => {
        expectSent(form.get("client_secret")!.startsWith(id) ? "ok" : "", "ok");
        return json({
          id,
          latest_charge: `ch_${fresh.token(24)}`,
          next_action: {
            redirect_to_url: { url: `https://hooks.pay.example/3ds/${fresh.token(24)}?return=1` },
          },
        });
      },
      "GET /3ds/:id": () =>
        redirect(
          `https://pay.example/return?payment_intent=x&receipt=${fresh.digits(4)}-${
            fresh.digits(4)
          }`,
        ),
      "GET /return": ({ query }) => page(`<a href="/receipts/${query.get("receipt")}">Receipt</a>`),
      "GET /receipts/:number": () => page("<p>Paid</p>"),
      "GET /v1/charges/:id": (_, { id }) => json({ id }),
    });
  },
  use(browser, client) {
    const customer = browser.fetch("POST", "/v1/customers", {
      headers: { "Idempotency-Key": client.uuid() },
      form: [["email", "jo@pay.example"]],
    }).json;
    for (const amount of ["1000", "2500", "4000"]) {
      const intent = browser.fetch("POST", "/v1/payment_intents", {
        headers: { "Idempotency-Key": client.uuid() },
        form: [["amount", amount], ["customer", customer.id]],
      }).json;
      const method = browser.fetch("POST", "/v1/payment_methods", {
        form: [["type", "card"], ["billing_details[name]", "Jo"]],
      }).json;
      const done = browser.fetch("POST", `/v1/payment_intents/${intent.id}/confirm`, {
        form: [["payment_method", method.id], ["client_secret", intent.client_secret]],
      }).json;
      browser.open(browser.open(done.next_action.redirect_to_url.url).link("Receipt"));
      browser.fetch("GET", `https://pay.example/v1/charges/${done.latest_charge}`);
    }
  },
};

/** Git forge: a token in every form, commit hashes, issue numbers per repository. */
const forge: ModelApp = {
  name: "git_forge",
  creator: "Firefox/143.0",
  origin: "https://git.example",
  serve(fresh) {
    const csrf = `${fresh.token(40)}:${fresh.digits(19)}`;
    let head = fresh.hex(40);
    let issue = 10 + fresh.below(80);
    const token = `<input type="hidden" name="_csrf" value="${csrf}">`;
    return route({
      "GET /ann/site": () =>
        page(
          `<script>window.config = {csrfToken: '${csrf}', appSubUrl: ''};</script><a href="/ann/site/_edit/main/README.md">Edit</a><a href="/ann/site/commit/${head}">Last commit</a>`,
        ),
      "GET /ann/site/_edit/main/README.md": () =>
        page(
          `<form id="edit" action="/ann/site/_edit/main/README.md" method="post">${token}<input type="hidden" name="last_commit" value="${head}"><textarea name="content"></textarea></form>`,
        ),
      "POST /ann/site/_edit/main/README.md": (
        { form },
      ) => (expectSent(form.get("last_commit"), head), head = fresh.hex(40), redirect("/ann/site")),
      "GET /ann/site/commit/:hash": (
        _,
        { hash },
      ) => (expectSent(hash, head), page("<p>Commit</p>")),
      "POST /ann/site/issues/new": (
        { headers },
      ) => (expectSent(headers["x-csrf-token"], csrf),
        json({ redirect: `/ann/site/issues/${issue++}` })),
      "GET /ann/site/issues/:number": (_, { number }) =>
        page(
          `<form id="comment" action="/ann/site/issues/${number}/comments" method="post">${token}<input name="content"></form>`,
        ),
      "POST /ann/site/issues/:number/comments": (_, { number }) =>
        json({
          redirect: `/ann/site/issues/${number}#issuecomment-${fresh.digits(5)}`,
          uuid: fresh.uuid(),
        }),
      "POST /attachments/remove": () => json({ ok: true }),
    });
  },
  use(browser) {
    for (const title of ["Broken link", "Dark mode", "Typo"]) {
      const home = browser.open("/ann/site");
      const csrf = home.match(/csrfToken: '([^']*)/);
      const saved = browser.submit(browser.open(home.link("Edit")), "#edit", { content: title });
      browser.open(saved.link("Last commit"));
      const made = browser.fetch("POST", "/ann/site/issues/new", {
        headers: { "X-Csrf-Token": csrf },
        form: [["title", title]],
      }).json;
      const issue = browser.open(made.redirect);
      const comment = browser.fetch("POST", issue.attribute("#comment", "action"), {
        headers: { "X-Csrf-Token": csrf },
        form: [["_csrf", csrf], ["content", "Me too"]],
      }).json;
      browser.fetch("POST", "/attachments/remove", {
        form: [["_csrf", csrf], ["file", comment.uuid]],
      });
    }
  },
};

/**
 * Uploads: form fields that the application signs for an object store, an ETag that the client
 * sends back, a job that the client polls.
 */
const uploads: ModelApp = {
  name: "uploads",
  creator: "WebInspector/537.36",
  origin: "https://files.example",
  serve(fresh) {
    const bucket = "https://store.files.example";
    let polled = 0;
    return route({
      "POST /api/uploads": () =>
        json({
          upload: {
            key: `tmp/${fresh.uuid()}/original.pdf`,
            fields: {
              policy: `${fresh.token(80)}==`,
              "x-amz-signature": fresh.hex(64),
              "x-amz-date": new Date(fresh.now()).toISOString().replace(/[-:]|\.\d+/g, ""),
            },
            url: bucket,
          },
        }),
      "POST /": () => ({ status: 204, headers: { ETag: `"${fresh.hex(32)}"` } }),
      "POST /api/documents": () => {
        polled = 0;
        return json({ document_id: fresh.below(80_000) + 10_000, job: fresh.token(20) }, 202);
      },
      "GET /api/jobs/:job": () =>
        json({
          state: ++polled > 1 ? "done" : "running",
          result: polled > 1
            ? { preview: `/previews/${fresh.hex(12)}.png`, version: fresh.token(6) }
            : null,
        }),
      "GET /previews/:name": () => json({ ok: true }),
      "POST /api/documents/:id/publish": () =>
        json({ permalink: `https://files.example/d/${fresh.token(9)}` }),
      "GET /d/:slug": () => page("<p>Document</p>"),
    });
  },
  use(browser) {
    for (const name of ["a.pdf", "b.pdf", "c.pdf"]) {
      const { upload } = browser.fetch("POST", "/api/uploads", { json: { name } }).json;
      const stored = browser.fetch("POST", `${upload.url}/`, {
        multipart: [["key", upload.key], ...Object.entries(upload.fields) as [string, string][], [
          "file",
          "%PDF",
        ]],
      });
      const made = browser.fetch("POST", "/api/documents", {
        json: { key: upload.key, etag: stored.header("etag") },
      }).json;
      browser.fetch("GET", `/api/jobs/${made.job}`);
      const { result } = browser.fetch("GET", `/api/jobs/${made.job}`).json;
      browser.fetch("GET", result.preview);
      const published = browser.fetch("POST", `/api/documents/${made.document_id}/publish`, {
        json: { version: result.version },
      }).json;
      browser.open(published.permalink);
    }
  },
};

/** Dashboards: document versions that must match the server's, async searches, a short URL. */
const dashboards: ModelApp = {
  name: "dashboards",
  creator: "WebInspector/537.36",
  origin: "https://kibana.example",
  serve(fresh) {
    const versions = new Map<string, string>();
    const version = () => btoa(`[${fresh.below(90) + 10},${fresh.below(9) + 1}]`);
    return route({
      "POST /internal/security/login": () => ({
        ...json({ location: "/app/home" }),
        cookies: [`sid=${fresh.token(90)}; HttpOnly`],
      }),
      "POST /api/saved_objects/dashboard": () => {
        const id = fresh.uuid();
        versions.set(id, version());
        return json({
          id,
          type: "dashboard",
          version: versions.get(id),
          updated_at: new Date(fresh.now()).toISOString(),
        });
      },
      "PUT /api/saved_objects/dashboard/:id": (
        { json: sent },
        { id },
      ) => (expectSent(sent.version, versions.get(id)!),
        versions.set(id, version()),
        json({ id, version: versions.get(id) })),
      "POST /internal/search": () =>
        json({
          id: `${fresh.token(50)}==`,
          isRunning: true,
          rawResponse: { pit_id: `${fresh.token(70)}==` },
        }),
      "POST /internal/search/:id": () => json({ isRunning: false }),
      "DELETE /internal/search/:id": () => json({}),
      "POST /api/short_url": () => json({ id: fresh.uuid(), slug: fresh.token(5) }),
      "GET /goto/:slug": () => redirect(`/app/dashboards#/view/${fresh.uuid()}`),
      "GET /app/dashboards": () => page("<p>Dashboards</p>"),
    });
  },
  use(browser, client) {
    browser.fetch("POST", "/internal/security/login", {
      json: { username: "eve", password: "pw-eve" },
    });
    for (const title of ["Traffic", "Errors", "Sales"]) {
      const made = browser.fetch("POST", "/api/saved_objects/dashboard", {
        headers: { "kbn-xsrf": "true" },
        json: { attributes: { title } },
      }).json;
      const changed = browser.fetch("PUT", `/api/saved_objects/dashboard/${made.id}`, {
        json: { version: made.version, attributes: { title } },
      }).json;
      browser.fetch("PUT", `/api/saved_objects/dashboard/${made.id}`, {
        json: { version: changed.version, attributes: { title: `${title}!` } },
      });
      const search = browser.fetch("POST", "/internal/search", {
        json: { sessionId: client.uuid(), query: "*" },
      }).json;
      browser.fetch("POST", `/internal/search/${encodeURIComponent(search.id)}`, {
        json: { pit: { id: search.rawResponse.pit_id } },
      });
      browser.fetch("DELETE", `/internal/search/${encodeURIComponent(search.id)}`);
      const short = browser.fetch("POST", "/api/short_url", {
        json: { locatorId: "DASHBOARD", params: { id: made.id } },
      }).json;
      browser.open(`/goto/${short.slug}`);
    }
  },
};

/** A legacy shop in PHP: a session id in links, form keys, line ids in field names and links. */
const legacy: ModelApp = {
  name: "php_shop",
  creator: "Firefox/143.0",
  origin: "https://old.example",
  serve(fresh) {
    const key = fresh.token(16);
    const lines: { id: string; product: string }[] = [];
    const cart = () =>
      page(
        `<form id="cart" method="post" action="/cart.php?action=update"><input type="hidden" name="form_key" value="${key}">` +
          lines.map(({ id }) =>
            `<input name="qty[${id}]" value="1"><a href="/cart.php?action=remove&amp;line=${id}&amp;key=${
              fresh.hex(16)
            }">Remove ${id.slice(-1)}</a>`
          ).join("") +
          `</form><a href="/checkout.php?step=1&amp;quote=${fresh.hex(20)}">Checkout</a>`,
      );
    return route({
      "GET /": () => ({
        ...page(
          ["12", "17", "21"].map((id) =>
            `<form id="p${id}" method="post" action="/cart.php?action=add"><input type="hidden" name="form_key" value="${key}"><input type="hidden" name="product" value="${id}"></form>`
          ).join(""),
        ),
        cookies: [`PHPSESSID=${fresh.hex(26)}; path=/`],
      }),
      "POST /cart.php": ({ form, query }) => {
        expectSent(form.get("form_key"), key);
        if (query.get("action") === "add") {
          lines.push({ id: String(fresh.below(90_000) + 10_000), product: form.get("product")! });
        } else for (const { id } of lines) expectSent(form.get(`qty[${id}]`), "2");
        return redirect("/cart.php");
      },
      "GET /cart.php": ({ query }) => {
        if (query.get("action") === "remove") {
          expectSent(query.get("line"), lines[0].id);
          lines.shift();
        }
        return cart();
      },
      "GET /checkout.php": ({ query }) =>
        page(
          `<form id="address" method="post" action="/checkout.php"><input type="hidden" name="quote" value="${
            query.get("quote")
          }"><input type="hidden" name="token" value="${fresh.hex(32)}"></form>`,
        ),
      "POST /checkout.php": () => redirect(`/success.php?order=10000${fresh.digits(4)}`),
      "GET /success.php": ({ query }) =>
        page(
          `<a href="/invoice.php?order=${query.get("order")}&amp;hash=${
            fresh.hex(32)
          }">Invoice</a>`,
        ),
      "GET /invoice.php": () => page("<p>Invoice</p>"),
    });
  },
  use(browser) {
    const home = browser.open("/");
    for (const id of ["p12", "p17", "p21"]) browser.submit(home, `#${id}`);
    const cart = browser.open("/cart.php");
    const names = [...cart.body.matchAll(/name="(qty\[\d+\])"/g)].map(([, name]) => [name, "2"]);
    const updated = browser.submit(cart, "#cart", Object.fromEntries(names));
    const shorter = browser.open(
      updated.match(/href="(\/cart\.php\?action=remove[^"]*)/).replaceAll("&amp;", "&"),
    );
    const address = browser.open(shorter.link("Checkout"));
    const success = browser.submit(address, "#address", { city: "Berlin" });
    browser.open(success.link("Invoice"));
  },
};

/**
 * Platform that receives actions as JSON in a form field: 18-character ids, a token in a script.
 */
const platform: ModelApp = {
  name: "crm_actions",
  creator: "WebInspector/537.36",
  origin: "https://crm.example",
  serve(fresh) {
    const token = `eyJ${fresh.token(60)}..${fresh.token(40)}`;
    const context = fresh.token(22);
    const id = (prefix: string) => `${prefix}5g0000${fresh.token(9)}`;
    return route({
      "GET /lightning": () =>
        page(
          `<script>var auraConfig = {"token":"${token}","context":{"fwuid":"${context}","mode":"PROD"}};</script>`,
        ),
      "POST /aura": ({ form }) => {
        expectSent(form.get("aura.token"), token);
        const { actions } = JSON.parse(form.get("message")!);
        const [{ id: action, descriptor }] = actions;
        const value = descriptor.endsWith("createRecord")
          ? { recordId: id("001"), lastModified: new Date(fresh.now()).toISOString() }
          : { contactId: id("003"), feedItem: { uid: fresh.uuid() } };
        return json({
          actions: [{ id: action, state: "SUCCESS", returnValue: value }],
          context: { fwuid: context },
        });
      },
      "GET /lightning/r/Account/:id/view": () => page("<p>Account</p>"),
    });
  },
  use(browser) {
    const home = browser.open("/lightning");
    const [token, fwuid] = [home.match(/"token":"([^"]*)/), home.match(/"fwuid":"([^"]*)/)];
    let number = 100;
    const act = (descriptor: string, params: Record<string, unknown>) =>
      browser.fetch("POST", `/aura?r=${number}`, {
        form: [
          ["message", JSON.stringify({ actions: [{ id: `${number++};a`, descriptor, params }] })],
          ["aura.context", JSON.stringify({ mode: "PROD", fwuid })],
          ["aura.token", token],
        ],
      }).json.actions[0].returnValue;
    for (const name of ["Acme", "Globex", "Umbrella"]) {
      const { recordId, lastModified } = act("aura://RecordUi/ACTION$createRecord", { name });
      const { contactId, feedItem } = act("apex://Contacts/ACTION$add", {
        accountId: recordId,
        ifModified: lastModified,
      });
      act("apex://Feed/ACTION$post", { parent: contactId, item: feedItem.uid });
      browser.open(`/lightning/r/Account/${recordId}/view`);
    }
  },
};

export const SERVICES: readonly ModelApp[] = [
  odata,
  chat,
  payments,
  forge,
  uploads,
  dashboards,
  legacy,
  platform,
];
