import { html } from "../recorder.ts";
import type { Script } from "../script.ts";
import { text, type Value } from "../value.ts";

/**
 * Values that the client sends before any response contains them, such as idempotency keys. They
 * must not be correlated, even if later responses repeat them.
 */
const clientMade: Script = {
  name: "client_made",
  creator: "WebInspector/537.36",
  origin: "https://pay.example",
  record(r) {
    const why = "the client sent it first; the server echoes it";
    const idempotency = r.fixed(r.uuid(), why);
    const device = r.fixed(r.hex(32), why);
    const reference = r.fixed(`ref-${r.digits(8)}`, why);
    const user = r.fixed("grace.hopper", why);
    const phone = r.fixed(r.digits(11), why);
    const search = r.fixed("session-7734", why);
    const early = r.fixed(
      r.uuid(),
      "sent before any response contained it, from the browser's storage",
    );
    const payment = r.live(r.uuid(), "the server's own UUID, next to those of the client");
    const sent = { "Idempotency-Key": idempotency, "X-Device": device };
    r.get(text`/api/history?session_id=${early}`, {}, { json: { items: [] } });
    r.post("/api/payments", { headers: sent, json: { reference_id: reference, user, phone } }, {
      status: 201,
      json: {
        id: payment,
        idempotencyKey: idempotency,
        device_id: device,
        reference_id: reference,
        user_id: user,
        phone_id: phone,
        session_id: early,
      },
    });
    r.get(text`/api/payments/${payment}?reference_id=${reference}`, { headers: sent }, {
      json: { id: payment, user_id: user },
    });
    r.get(text`/api/search?token=${search}`, {}, { json: { token: search, hits: 0 } });
    r.get(text`/api/search/${search}/more`, {}, { json: { token: search, hits: 0 } });
    r.post("/api/receipts", {
      json: { payment, device, user, phone, key: idempotency, session: early },
    }, { status: 204 });
  },
};

/**
 * Overlapping calls. A request that started before a response ended cannot contain values from that
 * response, so equal values must not be correlated.
 */
const parallelCalls: Script = {
  name: "parallel_calls",
  creator: "WebInspector/537.36",
  origin: "https://dash.example",
  record(r) {
    const user = r.live(Number(r.digits(6)), "the response had ended before its later requests");
    const widget = r.fixed(
      r.uuid(),
      "the only request that sends it started before the response ended",
    );
    const layout = r.live(r.uuid(), "sent after the slow response had ended");
    const panel = r.fixed(r.hex(20), "sent while the slow response was under way, and again later");
    const shared = r.live(r.uuid(), "two calls overlap: the response that ended first gives it");
    r.get("/api/me", {}, { json: { user_id: user } });
    r.get(text`/api/layout?user_id=${user}`, {}, {
      json: { layout_id: layout, widgets: [{ id: widget }], panels: [panel] },
    }, { takes: 900 });
    r.get(text`/api/widgets/${widget}`, {}, { json: { kind: "chart" } }, {
      after: -800,
      takes: 60,
    });
    r.get(text`/api/panels/${panel}/users/${user}`, {}, { json: { rows: [] } }, { after: 40 });
    r.get(text`/api/layouts/${layout}`, {}, { json: { rows: [] } }, { after: 900 });
    r.get(text`/api/panels/${panel}`, {}, { json: { rows: [] } });
    r.get("/api/alerts", {}, { json: { board_id: shared.text, alerts: [] } }, { takes: 700 });
    r.get("/api/boards", {}, { json: { boards: [{ id: shared }] } }, { after: -680, takes: 60 });
    r.get(text`/api/boards/${shared}`, {}, { json: { title: "Ops" } }, { after: 50 });
    r.get(text`/api/boards/${shared}/members`, {}, { json: { members: [] } }, { after: 900 });
  },
};

/**
 * Values that also occur within longer text. Short values must be replaced only where they are a
 * complete path segment, parameter or member. Long values must also be replaced within text,
 * between token boundaries.
 */
const substrings: Script = {
  name: "substrings",
  creator: "Charles Proxy/4.6.6",
  origin: "https://orders.example",
  record(r) {
    const order = r.live(1234, "whole in one path; within longer numbers and words elsewhere");
    const batch = r.live("4711", "whole in a query; within longer text elsewhere");
    const ticket = r.live("TK-77", "five characters: replaced only where it is the whole value");
    const invoice = r.live("INV-20394857", "twelve characters: replaced at boundaries, too");
    const account = r.live("a1b2c3d4e5f60718", "long hex: not replaced within longer hex");
    r.get("/api/start", {}, {
      json: {
        order_id: order,
        batch_id: batch,
        ticketId: ticket,
        invoice_id: invoice,
        account,
      },
    });
    r.get(text`/api/orders/${order}`, {}, { json: { ok: true } });
    r.get("/api/orders/12345", {}, { json: { ok: true } });
    r.get("/api/orders/91234/v1234", {}, { json: { ok: true } });
    r.get(text`/api/batches?batch=${batch}&not=47110&nor=x4711&range=4710-4711`, {}, {
      json: { ok: true },
    });
    r.post("/api/notes", {
      json: { title: "See 1234 and 4711", ticket, comment: "About TK-77, done", size: 12340 },
    }, { json: { ok: true } });
    r.get(text`/api/invoices/${invoice}.pdf?name=invoice-${invoice}-final`, {}, {
      json: { ok: true },
    });
    r.get("/api/invoices/INV-203948570", {}, { json: { ok: true } });
    r.post("/api/mail", { json: { subject: text`Invoice ${invoice} is due`, to: "ada" } }, {
      json: { ok: true },
    });
    r.get(text`/api/accounts/${account}`, {}, { json: { ok: true } });
    r.get("/api/accounts/ffa1b2c3d4e5f60718", {}, { json: { ok: true } });
  },
};

/**
 * Numbers with fewer than four digits. They must be correlated only if they come from an id-like
 * key and are sent in a path or an id-like field.
 */
const shortNumbers: Script = {
  name: "short_numbers",
  creator: "Proxyman/5.12.0",
  origin: "https://todo.example",
  record(r) {
    const list = r.live(37, "from `id`, sent as a path segment");
    const todo = r.live(581, "from `todo_id`, sent in a path and in an id-like JSON field");
    const tag = r.live(64, "from `tagId`, sent in an id-like query parameter");
    const color = r.live(9, "one digit from `id`, sent in an id-like form field");
    const count = r.fixed(29, "its own key, `count`, is not id-like");
    const position = r.fixed(83, "its own key, `position`, is not id-like");
    const step = r.fixed(46, "from `id`, but sent only where no id is expected");
    r.get("/api/lists", {}, {
      json: {
        lists: [{ id: list, count, position, owner: { id: step } }],
        colors: [{ id: color, name: "teal" }],
      },
    });
    r.get(text`/api/lists/${list}`, {}, { json: { todos: [{ todo_id: todo, tagId: tag }] } });
    r.get(text`/api/lists/${list}/items/${count}`, {}, { json: { ok: true } });
    r.get(text`/api/todos/${todo}?tag_id=${tag}&width=37&height=581`, {}, { json: { ok: true } });
    r.post(text`/api/lists/${list}/move`, { json: { todoId: todo, position, priority: 64 } }, {
      json: { ok: true },
    });
    r.post("/api/colors", { form: [["color_id", color], ["opacity", "9"], ["size", step]] }, {
      json: { ok: true },
    });
    r.get(text`/api/positions?at=${position}&step=${step}`, {}, { json: { ok: true } });
  },
};

/** Fields that are named like dynamic values, but contain plain words, flags or nothing. */
const lookalikes: Script = {
  name: "lookalike_words",
  creator: "WebInspector/537.36",
  origin: "https://settings.example",
  record(r) {
    const why = (field: string) => `a plain word, although its field is \`${field}\``;
    const words = {
      token_type: r.fixed("bearer", why("token_type")),
      session: r.fixed("active", why("session")),
      csrf: r.fixed("enabled", why("csrf")),
      state: r.fixed("open", why("state")),
      theme_id: r.live("dark", "a plain word, but its name ends in `_id`"),
      id: r.fixed("home", why("id")),
      nextCursor: r.fixed("start", why("nextCursor")),
      country_code: r.fixed("GB", "a code without a digit"),
      sort_key: r.fixed("price", why("sort_key")),
    };
    const token = r.live(r.token(26), "a token by name, next to words with similar names");
    r.get("/api/settings", {}, {
      json: {
        ...words,
        remember_token: true,
        refresh_token: null,
        access_token: token,
        secret: "",
      },
    });
    r.get(
      text`/api/pages/${words.id}?session=${words.session}&state=${words.state}&sort=${words.sort_key}`,
      { headers: { Authorization: text`bearer ${token}` } },
      { json: { ok: true } },
    );
    r.post("/api/settings", {
      json: {
        token_type: words.token_type,
        csrf: words.csrf,
        theme_id: words.theme_id,
        cursor: words.nextCursor,
        country_code: words.country_code,
        remember: true,
        nothing: null,
        empty: "",
      },
    }, { status: 204 });
  },
};

/**
 * Data that the server returns and the client sends back, but that is neither an id nor a token.
 */
const plainData: Script = {
  name: "plain_data",
  creator: "BrowserMob Proxy/2.1.5",
  origin: "https://profile.example",
  record(r) {
    const profile = r.live(r.hex(24), "a document's id, sent in paths");
    const data = {
      name: r.fixed("Ada Lovelace", "a name"),
      email: r.fixed("ada@profile.example", "an address"),
      birthday: r.fixed("1815-12-10", "a date"),
      updated_at: r.live("2026-01-15T09:12:44.102Z", "a time with a fraction, sent back exactly"),
      balance: r.fixed(1049.5, "an amount"),
      rating: r.fixed(4.75, "a fraction"),
      currency: r.fixed("EUR", "a code of a currency"),
      language: r.fixed("en-GB", "a language"),
      version: r.fixed("1.14.2", "a version"),
      height: r.fixed(168, "a short number that is not an id"),
      newsletter: true,
    };
    r.get("/api/profile", {}, { json: { _id: profile, ...data } });
    r.call("PUT", text`/api/profiles/${profile}`, { json: { ...data, newsletter: false } }, {
      json: { _id: profile, ...data },
    });
    r.get(
      text`/api/activity?since=${data.updated_at}&lang=${data.language}&v=${data.version}`,
      {},
      { json: { items: [] } },
    );
    r.get(text`/api/profiles/${profile}/history`, {}, { json: { items: [] } });
  },
};

/**
 * Values that responses contain in one encoding, and requests in another, such as percent-encoding
 * or base64.
 */
const encodings: Script = {
  name: "encodings",
  creator: "Firefox/143.0",
  origin: "https://codes.example",
  record(r) {
    const cursor = r.optional(
      "encoded",
      "b2Zmc2V0OjIwMDA=",
      "raw in JSON, percent-encoded in the query",
    );
    const signature = r.optional(
      "encoded",
      "dGlkZS9w+b29sLzc3/==",
      "raw in JSON, percent-encoded in the query",
    );
    const path = r.optional(
      "encoded",
      "docs/2026/k7f3m9",
      "raw in JSON, percent-encoded in the path",
    );
    const upper = r.fixed(r.uuid(), "lower case in JSON, upper case in the request");
    const basic = r.optional("encoded", r.token(18), "raw in JSON, base64 in the request");
    const safe = r.live(`Zm9v-${r.token(12)}`, "base64url: the same text raw and encoded");
    const form = r.live(
      `${r.token(10)}/+${r.token(6)}=`,
      "a form's value is the same once decoded",
    );
    r.get("/api/codes", {}, {
      json: {
        cursor,
        signature,
        document_id: path,
        device_id: upper,
        api_token: basic,
        safe_cursor: safe,
        form_token: form,
      },
    });
    const inUrl = (value: Value) => value.as(encodeURIComponent);
    r.get(text`/api/list?cursor=${inUrl(cursor)}&signature=${inUrl(signature)}`, {}, {
      json: { items: [] },
    });
    r.get(text`/api/documents/${inUrl(path)}`, {}, { json: { ok: true } });
    r.get(`/api/devices/${upper.text.toUpperCase()}`, {}, { json: { ok: true } });
    r.get(text`/api/list?cursor=${safe}`, {
      headers: { Authorization: text`Basic ${basic.as((token) => btoa(`${token}:`))}` },
    }, { json: { items: [] } });
    r.post("/api/submit", { form: [["token", form], ["choice", "a b"]] }, { json: { ok: true } });
  },
};

/**
 * Values that several responses contain, so that each of these responses might be their producer.
 */
const producers: Script = {
  name: "producers",
  creator: "WebInspector/537.36",
  origin: "https://flow.example",
  record(r) {
    const twice = r.live(r.token(24), "two JSON responses hold it: the first gives it");
    const page = r.live(r.hex(32), "HTML holds it first, but only JSON is looked into");
    const error = r.live(r.uuid(), "an error's JSON holds it first");
    const places = r.live(
      Number(r.digits(7)),
      "one response holds it twice: either place gives it",
    );
    const own = r.fixed(r.uuid(), "only the response to its own request holds it");
    r.get("/app", {}, { content: html(`<script>var token="${page.text}"</script>`) });
    r.get("/api/session", {}, { json: { session_token: twice, page_token: page } });
    r.get("/api/again", {}, { json: { session_token: twice } });
    r.get(text`/api/use?t=${twice}&p=${page}`, {}, { json: { ok: true } });
    r.post("/api/jobs", { json: { kind: "export" } }, {
      status: 409,
      json: { error: "exists", running_job_id: error },
    });
    r.get(text`/api/jobs/${error}`, {}, { json: { job_id: error } });
    r.get("/api/account", {}, { json: { id: places, links: { account_id: places } } });
    r.get(text`/api/accounts/${places}`, {}, { json: { plan: "free" } });
    r.call("PUT", text`/api/drafts/${own}`, { json: { body: "x" } }, { json: { draft_id: own } });
    r.get(text`/api/drafts/${own}`, {}, { json: { draft_id: own } });
  },
};

/** Recordings of cases that correlators often get wrong. */
export const TRAPS: readonly Script[] = [
  clientMade,
  parallelCalls,
  substrings,
  shortNumbers,
  lookalikes,
  plainData,
  encodings,
  producers,
];
