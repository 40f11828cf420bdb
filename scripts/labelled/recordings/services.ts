import { html } from "../recorder.ts";
import type { Script } from "../script.ts";
import { text } from "../value.ts";

/** A multipart upload to a bucket on another origin, with URLs that the application signs. */
const presignedUpload: Script = {
  name: "presigned_upload",
  creator: "WebInspector/537.36",
  origin: "https://photos.example",
  record(r) {
    const bucket = "https://bucket.example";
    const upload = r.live(r.token(36), "an id by name, sent in a query and in JSON");
    const object = r.live(r.uuid(), "a UUID, sent in paths");
    const signatures = [1, 2].map(() =>
      r.optional("html", r.hex(64), "occurs only within a URL in the response")
    );
    const etags = [1, 2].map(() =>
      r.optional("header", r.hex(32), "occurs only in the header ETag")
    );
    const policy = r.live(r.token(48), "a signature by name, sent in a form");
    const photo = r.live(Number(r.digits(8)), "a numeric id, sent in a path");
    const url = (part: number) =>
      text`${bucket}/${object}?part=${String(part)}&uploadId=${upload}&sig=${signatures[part - 1]}`;
    r.post("/api/uploads", { json: { name: "tide.jpg", parts: 2 } }, {
      status: 201,
      json: { uploadId: upload, objectId: object, urls: [url(1), url(2)], policySignature: policy },
    });
    for (const part of [1, 2]) {
      r.call("PUT", url(part), { content: { type: "text/plain", text: "…" } }, {
        headers: { ETag: etags[part - 1].text },
      });
    }
    r.post(text`/api/uploads/${object}/complete`, {
      json: { uploadId: upload, parts: etags.map((etag, i) => ({ part: i + 1, etag })) },
    }, { json: { photo: { id: photo } } });
    r.post(`${bucket}/thumbs`, { form: [["policy", policy], ["size", "s"]] }, { status: 204 });
    r.get(text`/api/photos/${photo}`, {}, { json: { title: "Tide" } });
  },
};

/** A payment provider and an analytics service in addition to the shop's own origin. */
const thirdParty: Script = {
  name: "third_party",
  creator: "WebInspector/537.36",
  origin: "https://store.example",
  record(r) {
    const intentId = `pi_${r.token(20)}`;
    const intent = r.live(intentId, "an id by name, sent to another origin's path");
    const secret = r.live(
      `${intentId}_secret_${r.token(22)}`,
      "a secret by name that begins with another id: replaced as a whole",
    );
    const charge = r.live(`ch_${r.token(20)}`, "another origin's id, sent to the own one");
    const key = r.fixed(`pk_test_${r.token(24)}`, "the client sent it first; the server echoes it");
    const visitor = r.fixed(r.uuid(), "made by the client; the collector echoes it");
    const order = r.live(Number(r.digits(7)), "a numeric id, sent in paths and in analytics");
    const rate = r.live(r.token(18), "a token by name from a third origin, sent to it again");
    r.post("https://stats.example/collect", { json: { visitor_id: visitor, event: "view" } }, {
      json: { visitor_id: visitor, session_token: rate },
    });
    r.get(text`https://pay.example/v1/config?key=${key}`, {}, { json: { key, methods: ["card"] } });
    r.post("/api/checkout", { json: { plan: "team" } }, {
      json: { order: { id: order }, payment_intent: { id: intent, client_secret: secret } },
    });
    r.post(text`https://pay.example/v1/intents/${intent}/confirm`, {
      form: [["client_secret", secret], ["key", key], ["method", "card"]],
    }, { json: { id: intent, latest_charge: { id: charge }, status: "succeeded" } });
    r.post(text`/api/orders/${order}/confirm`, { json: { charge_id: charge } }, {
      json: { ok: true },
    });
    r.post(text`https://stats.example/collect?session_token=${rate}`, {
      json: { visitor_id: visitor, event: "paid", order },
    }, { status: 204 });
    r.get(text`/orders/${order}`, {}, { content: html("<h1>Thank you</h1>") });
  },
};

/**
 * Requests that each send a value in several places at once, such as the path, the query, a header
 * and the body.
 */
const everywhere: Script = {
  name: "everywhere",
  creator: "mitmproxy/11.0.2",
  origin: "https://tenants.example",
  record(r) {
    const tenant = r.live(r.uuid(), "path, query, header and JSON of one request");
    const user = r.live(Number(r.digits(6)), "path, query, header and form of one request");
    const token = r.live(r.token(32), "after a scheme, and whole in a header and a query");
    const trace = r.live(r.hex(16), "sixteen hex digits: long hex by shape");
    r.post("/api/enter", { json: { tenant: "acme" } }, {
      json: { tenant: { id: tenant }, userId: user, sessionToken: token, trace },
    });
    r.post(text`/api/tenants/${tenant}/move?tenant=${tenant}`, {
      headers: { "X-Tenant": tenant, Referer: text`https://tenants.example/t/${tenant}/home` },
      json: { tenant: { id: tenant }, list: [tenant, text`urn:tenant:${tenant}`] },
    }, { json: { ok: true } });
    r.post(text`/api/users/${user}/poke?user=${user}`, {
      headers: { "X-User": user, "X-Trace": trace },
      form: [["user", user], ["user", user], ["why", "hello"]],
    }, { json: { ok: true } });
    r.get(text`/api/stream?access=${token}`, {
      headers: { Authorization: text`Token ${token}`, "X-Session": token },
    }, { json: { ok: true } });
    r.call("DELETE", text`/api/sessions/${token}`, { headers: { "X-Trace": trace } }, {
      status: 204,
    });
  },
};

/** An older application: JSON responses, form requests, repeated fields. */
const formIds: Script = {
  name: "form_ids",
  creator: "Fiddler/5.0.20",
  origin: "https://tickets.example",
  record(r) {
    const sid = r.live(r.hex(26), "a session id by name, sent in forms and queries");
    const event = r.live(Number(r.digits(5)), "a numeric id, sent in a form");
    const seats = [1, 2, 3].map(() =>
      r.live(r.digits(6), "an id in a list, sent in repeated fields")
    );
    const hold = r.live(`H${r.digits(9)}`, "an id by name, sent in a form");
    const nonce = r.live(r.token(12), "a nonce by name, sent in a form");
    const ticket = r.live(r.token(16), "a ticket by name, sent in a path");
    const seat = r.fixed("stalls", "the client sent it first; the server echoes it");
    r.get("/api.php?do=start", {}, { json: { PHPSESSID: "", sid, events: [{ event_id: event }] } });
    r.post(
      "/api.php",
      { form: [["do", "seats"], ["sid", sid], ["event", event], ["area", seat]] },
      {
        json: { area_id: seat, seats: seats.map((id) => ({ seat_id: id })), nonce },
      },
    );
    r.post("/api.php", {
      form: [
        ["do", "hold"],
        ["sid", sid],
        ["nonce", nonce],
        ...seats.map((s) => ["seat[]", s] as const),
      ],
    }, { json: { hold_id: hold } });
    r.post("/api.php", { form: [["do", "buy"], ["order[hold]", hold], ["sid", sid]] }, {
      json: { tickets: [{ ticket }] },
    });
    r.get(text`/tickets/${ticket}?sid=${sid}`, {}, { content: html("<h1>Row C</h1>") });
  },
};

/** Messaging: conversations, read markers, and the server's time in each poll response. */
const chat: Script = {
  name: "chat_polling",
  creator: "Firefox/143.0",
  origin: "https://chat.example",
  record(r) {
    const room = r.live(r.uuid(), "a UUID, sent in paths");
    const clock = (i: number) => 1_768_470_000_000 + 30_011 * i;
    const clocks = [1, 2, 3].map((i) =>
      r.live(clock(i), "a number of 13 digits that the next poll carries")
    );
    const last = r.fixed(clock(4), "never sent again");
    const messages = [1, 2, 3].map(() =>
      r.live(r.token(14), "an id by name, sent in JSON as read")
    );
    const mine = r.fixed(r.uuid(), "the client made it; the server echoes it");
    const posted = r.live(Number(r.digits(10)), "the id that the server gives the message");
    const online = r.fixed(17, "a count: a short number whose key is not that of an id");
    r.get("/api/rooms", {}, {
      json: { rooms: [{ room_id: room, online }], serverTime: clocks[0] },
    });
    messages.forEach((message, i) => {
      r.get(text`/api/rooms/${room}/messages?since=${clocks[i]}&seen=${online}`, {}, {
        json: { messages: [{ message_id: message, online }], serverTime: clocks[i + 1] ?? last },
      });
    });
    r.call("PUT", text`/api/rooms/${room}/read`, { json: { read: messages } }, { status: 204 });
    r.post(text`/api/rooms/${room}/messages`, { json: { clientId: mine, body: "Hello" } }, {
      status: 201,
      json: { clientId: mine, id: posted },
    });
    r.call("DELETE", text`/api/messages/${posted}`, {}, { status: 204 });
  },
};

/** Numeric ids with one to nineteen digits. */
const numberLengths: Script = {
  name: "number_lengths",
  creator: "WebInspector/537.36",
  origin: "https://numbers.example",
  record(r) {
    const ids = [8, 73, 604, 5821, 49017, 716253, 3141592, 27182818, 161803398, 1414213562].map((
      id,
    ) => r.live(id, `${String(id).length} digits from \`id\`, sent as a path segment`));
    const long = ["17320508075688", "1234567890123456789"].map((id) =>
      r.live(id, `${id.length} digits in a string from \`id\`, sent as a path segment`)
    );
    const padded = r.live("00042", "digits with leading zeros are not the number 42");
    const negative = r.fixed(-55_512, "a negative number is not an id");
    const fraction = r.fixed(5821.5, "a fraction is not an id");
    r.get("/api/things", {}, {
      json: {
        things: [...ids, ...long, padded].map((id) => ({ id })),
        offset: negative,
        mean: fraction,
      },
    });
    for (const id of [...ids, ...long, padded]) {
      r.get(text`/api/things/${id}`, {}, { json: { found: true } });
    }
    r.get(text`/api/around?offset=${negative}&mean=${fraction}&padded=42`, {}, {
      json: { found: true },
    });
  },
};

/**
 * A single-page application with a document store. Static files are loaded between its API calls.
 */
const documents: Script = {
  name: "documents_and_assets",
  creator: "WebInspector/537.36",
  origin: "https://wiki.example",
  record(r) {
    const [space, page, comment] = [1, 2, 3].map(() =>
      r.live(r.hex(24), "a document's `_id`, sent in paths")
    );
    const revision = r.live(`3-${r.hex(32)}`, "a revision's id by name, sent in a query");
    const author = r.live(r.hex(24), "a document's id in a nested list, sent in a query");
    const build = r.fixed(r.hex(20), "occurs only in the URL of a static file");
    const asset = (url: string, type: string, body: string) =>
      r.get(url, {}, { content: { type, text: body } }, { after: 3, takes: 9 });
    r.get("/", {}, { content: html("<div id=app></div>") });
    asset(`/app.${build.text}.js`, "application/javascript", "start()");
    asset("/app.css", "text/css", "body{}");
    r.get("/api/spaces", {}, { json: { rows: [{ doc: { _id: space, __v: 0 } }] } });
    asset("/logo.png", "image/png", "");
    r.get(text`/api/spaces/${space}/pages`, {}, {
      json: { rows: [{ doc: { _id: page, _rev: "x", rev_id: revision, by: [{ _id: author }] } }] },
    });
    r.get(text`/api/pages/${page}?rev=${revision}&author=${author}`, {}, { json: { body: "Hi" } });
    asset("/font.woff2", "font/woff2", "");
    r.post(text`/api/pages/${page}/comments`, { json: { body: "Nice" } }, {
      status: 201,
      json: { _id: comment, page },
    });
    r.call("DELETE", text`/api/pages/${page}/comments/${comment}`, {}, { json: { ok: true } });
  },
};

/** Values in unusual positions of requests and responses; the entries are in reverse order. */
const oddPlaces: Script = {
  name: "odd_places",
  creator: "WebInspector/537.36",
  origin: "https://odd.example",
  record(r) {
    const root = r.live(r.uuid(), "the whole response is one JSON string");
    const item = r.live(r.uuid(), "an item of a list that is the whole response");
    const dotted = r.live(r.token(20), "a key with dots and spaces");
    const quoted = r.live(r.token(20), "a key with both quotes");
    const inner = r.optional("html", r.token(24), "occurs in JSON within a JSON string");
    const key = r.optional("html", r.digits(7), "occurs only as a member's name");
    const prefixed = r.optional(
      "html",
      r.token(24),
      "the response opens with )]}' and is not JSON",
    );
    const filter = r.live(r.uuid(), "in a query's text, between percent-encoded quotes");
    const matrix = r.live(r.hex(32), "in a path segment's parameter");
    const part = r.live(r.token(16), "a field of a multipart form");
    const soap = r.live(r.token(16), "in an XML body");
    const dollar = r.fixed(
      `cid-${r.digits(6)}`,
      "directly after a dollar sign, where no template is possible",
    );
    r.post("/rpc/open", {}, { json: root });
    r.get(text`/rpc/${root}/list`, {}, { json: [[], [item]] });
    r.get(text`/rpc/${root}/${item}`, {}, {
      json: {
        "access.token v2": dotted,
        [`it's "a" token`]: quoted,
        payload: text`{"token":"${inner}"}`,
        byId: { [key.text]: { name: "x" } },
      },
    });
    r.get("/xssi", {}, {
      content: { type: "application/json", text: `)]}'\n{"token":"${prefixed.text}"}` },
    });
    r.get(text`/odd/${key}?a=${dotted}&b=${quoted}&c=${inner}&d=${prefixed}`, {}, {
      json: { node: filter, sessionId: matrix, upload_token: part, ticket: soap, cid_id: dollar },
    });
    r.get(text`/odata/Items?$filter=Id%20eq%20%27${filter}%27`, {}, { json: { value: [] } });
    r.get(text`/page;jsessionid=${matrix}?x=1`, {}, { content: html("<p>Page</p>") });
    r.post("/files", { parts: [["token", part], ["title", "Tide"]] }, { status: 204 });
    r.post("/soap", {
      content: { type: "text/xml", text: text`<open><ticket>${soap}</ticket></open>` },
    }, { content: { type: "text/xml", text: "<ok/>" } });
    r.post("/pay", { json: { memo: text`$${dollar}` } }, { status: 204 });
    r.backwards();
  },
};

/** JSON responses in unusual forms, and requests in which values are nested in other values. */
const guises: Script = {
  name: "guises",
  creator: "Playwright/1.49.0",
  origin: "https://guise.example",
  record(r) {
    const untyped = r.live(r.token(20), "in JSON without a content type");
    const encoded = r.live(r.token(20), "in JSON that is recorded in base64");
    const escaped = r.live(`a-${r.token(10)}-b`, "in JSON that writes it with escapes");
    const vendor = r.live(r.uuid(), "in JSON of a vendor's type");
    const inline = r.live(btoa(`Order:${r.digits(5)}`).replace(/=+$/, ""), "in a query's own text");
    const long = [1, 2].map(() =>
      r.live(r.digits(9), "long enough for a list within one parameter")
    );
    const short = r.live(Number(r.digits(5)), "a number in a list within one parameter");
    const member = r.live(r.digits(8), "sent as the name of a member");
    const live = r.fixed(r.token(22), "sent only in a WebSocket's URL, which the plan leaves out");
    const nested = r.live(r.uuid(), "in a URL within a query, after an encoded slash");
    const prefixText = `k${r.hex(9)}`;
    const prefix = r.live(prefixText, "whole in one path; another value begins with it");
    const longer = r.live(
      `${prefixText}-${r.hex(9)}`,
      "begins with another value: replaced as a whole",
    );
    const dollars = r.live("${vu}-" + r.digits(8), "looks like a template");
    r.get("/a", {}, { json: { token: untyped }, recorded: { type: "" } });
    r.get(text`/b?t=${untyped}`, {}, { json: { token: encoded }, recorded: { base64: true } });
    r.get(text`/c?t=${encoded}`, {}, { json: { token: escaped }, recorded: { escaped: true } });
    r.get(text`/d?t=${escaped}`, {}, {
      json: { ref: vendor },
      recorded: { type: "application/vnd.guise.v2+json" },
    });
    r.get(text`/e/${vendor}`, {}, {
      json: {
        order: { id: inline },
        ids: long,
        short_id: short,
        cell_id: member,
        live_token: live,
        page_id: nested,
        key_id: prefix,
        sub_key_id: longer,
        odd_token: dollars,
      },
    });
    r.post("/graphql", {
      json: { query: text`query { order(id: "${inline}") { total } }`, variables: {} },
    }, { json: { data: null } });
    r.get(text`/f?ids=${long[0]},${long[1]},${short}&sort=asc`, {}, { json: {} });
    r.post("/g", { json: { cells: { [member.text]: { color: "red" } } }, names: [member] }, {
      json: {},
    });
    r.get(text`wss://guise.example/live?token=${live}`, {}, { status: 101 });
    r.get(text`/h?next=https%3A%2F%2Fguise.example%2Fp%2F${nested}%3Fx%3D1`, {}, { json: {} });
    r.get(text`/i/${prefix}/${longer}`, {}, { json: {} });
    r.post("/j", { json: { token: dollars, plain: "${vu} $${x}" } }, { json: {} });
  },
};

/** Recordings of services and of older applications. */
export const SERVICES: readonly Script[] = [
  presignedUpload,
  thirdParty,
  everywhere,
  formIds,
  chat,
  numberLengths,
  documents,
  oddPlaces,
  guises,
];
