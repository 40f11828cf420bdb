import { html } from "../recorder.ts";
import type { Script } from "../script.ts";
import { text } from "../value.ts";

/**
 * A session with a CSRF token that changes: each response contains the token that the next request
 * must send.
 */
const csrfRotation: Script = {
  name: "csrf_rotation",
  creator: "WebInspector/537.36",
  origin: "https://bank.example",
  record(r) {
    let token = r.live(r.hex(32), "a CSRF token, sent in the next request's header");
    const customer = r.live(Number(r.digits(6)), "a numeric id, sent in a path");
    const account = r.live(`acc-${r.digits(8)}`, "an id by name, sent in JSON and in a path");
    r.get("/api/session", {}, {
      json: { csrfToken: token, authenticated: true, customer: { id: customer, name: "Ada" } },
    });
    r.get(text`/api/customers/${customer}/accounts`, { headers: { "X-CSRF-Token": token } }, {
      json: { accounts: [{ accountId: account, currency: "EUR", balance: 250.75 }] },
    });
    for (const amount of [10.5, 20.25, 30.75, 40.5]) {
      const next = r.live(r.hex(32), "the rotated token, sent in the next request's header");
      const transfer = r.live(r.uuid(), "a UUID, sent in the path of the call that follows");
      r.post("/api/transfers", {
        headers: { "X-CSRF-Token": token },
        json: { from: account, amount },
      }, {
        status: 201,
        json: { csrf_token: next, transfer: { id: transfer, status: "pending" } },
      });
      r.get(text`/api/transfers/${transfer}`, {}, { json: { status: "booked", amount } });
      token = next;
    }
    const unused = r.fixed(r.hex(32), "never sent again");
    r.post(text`/api/accounts/${account}/statements`, { headers: { "X-CSRF-Token": token } }, {
      json: { csrf_token: unused, queued: true },
    });
  },
};

/** A session that logs in, lets its token expire, refreshes it twice and logs out. */
const jwtRefresh: Script = {
  name: "jwt_refresh",
  creator: "Firefox/143.0",
  origin: "https://reports.example",
  record(r) {
    const user = r.live(r.uuid(), "a UUID, sent in a path");
    const claims = { iss: "reports", exp: 1_768_470_000 };
    const access = [1, 2, 3].map((jti) =>
      r.live(r.jwt({ ...claims, jti }), "a JWT, sent after the scheme Bearer")
    );
    const refresh = [1, 2, 3].map(() =>
      r.live(r.token(40), "a refresh token, sent in the next refresh")
    );
    const type = r.fixed("bearer", "a word, although its field's name holds `token`");
    const name = r.fixed("ada.lovelace", "the client sent it first");
    const report = r.live(r.digits(7), "an id by name, sent in a path");
    const page = r.live(Number(r.digits(5)), "an id in a list, sent in a query");
    const bearer = (i: number) => ({ Authorization: text`Bearer ${access[i]}` });
    const tokens = (i: number) => ({
      access_token: access[i],
      refresh_token: refresh[i],
      token_type: type,
    });
    r.post("/auth/login", { json: { session_name: name, password: "tide-pool-77" } }, {
      json: { ...tokens(0), user_id: user, session_name: name },
    });
    r.get(text`/api/users/${user}`, { headers: bearer(0) }, { json: { roles: ["analyst"] } });
    r.get("/api/reports", { headers: bearer(0) }, { status: 401, json: { error: "expired" } });
    r.post("/auth/refresh", { json: { refresh_token: refresh[0] } }, { json: tokens(1) });
    r.get("/api/reports", { headers: bearer(1) }, {
      json: { reports: [{ report_id: report, pages: [{ id: page }] }] },
    });
    r.get(text`/api/reports/${report}/chart?page_id=${page}`, { headers: bearer(1) }, {
      json: { points: [1.5, 2.5] },
    });
    r.post("/auth/refresh", { json: { refresh_token: refresh[1] } }, { json: tokens(2) });
    r.post("/auth/logout", { headers: bearer(2), json: { refresh_token: refresh[2] } }, {
      status: 204,
    });
  },
};

/**
 * OAuth authorization code flow. Values that occur only in `Location` headers or in HTML are not
 * correlated with `--correlate json`.
 */
const oauthRedirects: Script = {
  name: "oauth_redirects",
  creator: "WebInspector/537.36",
  origin: "https://app.example",
  record(r) {
    const state = r.optional("header", r.token(22), "occurs only in the header Location");
    const nonce = r.optional("header", r.hex(24), "occurs only in the header Location");
    const flow = r.optional("html", r.uuid(), "occurs only in HTML");
    const code = r.optional("header", r.token(30), "occurs only in the header Location");
    const client = r.fixed("7c0ffee1d0d0cafe", "the client sent it first; the server echoes it");
    const access = r.live(r.jwt({ aud: "app" }), "a JWT, sent after the scheme Bearer");
    const identity = r.live(r.jwt({ sub: "me" }), "a JWT, sent in a form");
    const session = r.live(r.uuid(), "a UUID, sent in a query");
    const subject = r.live(r.uuid(), "a UUID by shape: the name `sub` implies nothing");
    const tenant = r.live(`t-${r.token(9)}`, "an id by name, sent in a path");
    const bearer = { Authorization: text`Bearer ${access}` };
    const start =
      `https://id.example/start?client_id=${client.text}&state=${state.text}&nonce=${nonce.text}`;
    r.get(text`/login?client_id=${client}`, {}, { status: 302, headers: { Location: start } });
    r.get(text`https://id.example/start?client_id=${client}&state=${state}&nonce=${nonce}`, {}, {
      content: html(`<input type="hidden" name="flow" value="${flow.text}">`),
    });
    r.post("https://id.example/login", {
      form: [["flow", flow], ["username", "ada"], ["password", "tide-pool-77"]],
    }, {
      status: 302,
      headers: { Location: `${r.origin}/callback?code=${code.text}&state=${state.text}` },
    });
    r.get(text`/callback?code=${code}&state=${state}`, {}, {
      status: 302,
      headers: { Location: "/home", "Set-Cookie": "sid=f00; Path=/; HttpOnly" },
    });
    r.get("/home", {}, { content: html("<h1>Home</h1>") });
    r.get("/api/token", {}, {
      json: {
        access_token: access,
        id_token: identity,
        session_state: session,
        client_id: client,
        scope: "openid profile",
      },
    });
    r.get("/api/me", { headers: bearer }, { json: { sub: subject, tenant_id: tenant } });
    r.get(text`/api/tenants/${tenant}/members/${subject}`, { headers: bearer }, {
      json: { role: "owner" },
    });
    r.post(text`https://id.example/logout?session_state=${session}`, {
      form: [["id_token_hint", identity]],
    }, { status: 302, headers: { Location: `${r.origin}/` } });
    r.get("/", {}, { content: html("<p>Goodbye</p>") });
  },
};

/** Double-submit cookies: a script copies a cookie into a header; one token is also in JSON. */
const doubleSubmit: Script = {
  name: "double_submit_cookie",
  creator: "Safari/18.2",
  origin: "https://notes.example",
  record(r) {
    const first = r.optional("cookie", r.hex(40), "occurs only in a cookie");
    const second = r.optional("cookie", r.hex(40), "occurs only in a cookie");
    const third = r.live(r.hex(40), "occurs in JSON in addition to the cookie");
    const session = r.live(r.token(24), "a session id by name, sent in a header");
    const account = r.live(Number(r.digits(5)), "a numeric id, sent in paths");
    const note = r.live(Number(r.digits(4)), "an id by name, sent in a path");
    const cookie = (value: string) => ({ "Set-Cookie": `XSRF-TOKEN=${value}; Path=/; Secure` });
    r.get("/", {}, { content: html("<h1>Notes</h1>"), headers: cookie(first.text) });
    r.post("/api/login", {
      headers: { "X-XSRF-TOKEN": first },
      json: { email: "ada@notes.example", password: "tide-pool-77" },
    }, { json: { session_id: session, account: { id: account } }, headers: cookie(second.text) });
    const sent = { "X-XSRF-TOKEN": second, "X-Session-Id": session };
    r.get(text`/api/accounts/${account}`, { headers: sent }, { json: { plan: "free" } });
    r.post(text`/api/accounts/${account}/notes`, { headers: sent, json: { body: "Buy milk" } }, {
      status: 201,
      json: { note_id: note, xsrf: third },
      headers: cookie(third.text),
    });
    r.call("DELETE", text`/api/accounts/${account}/notes/${note}`, {
      headers: { "X-XSRF-TOKEN": third, "X-Session-Id": session },
    }, { status: 204 });
  },
};

/**
 * Server-rendered forms. Values that occur only in HTML are not correlated with `--correlate json`.
 */
const htmlForms: Script = {
  name: "html_forms",
  creator: "Charles Proxy/4.6.6",
  origin: "https://tasks.example",
  record(r) {
    const signIn = r.optional("html", r.token(44), "occurs only in HTML: a hidden input");
    const meta = r.optional("html", r.token(44), "occurs only in HTML: a meta tag");
    const key = r.optional("html", r.hex(32), "occurs only in HTML: a script");
    const project = r.live(Number(r.digits(6)), "a numeric id in a list, sent in paths");
    const task = r.optional("header", r.digits(7), "occurs only in the header Location");
    r.get("/users/sign_in", {}, {
      content: html(`<input type="hidden" name="authenticity_token" value="${signIn.text}">`),
    });
    r.post("/users/sign_in", {
      form: [["authenticity_token", signIn], ["user[email]", "ada@tasks.example"]],
    }, { status: 302, headers: { Location: "/dashboard" } });
    r.get("/dashboard", {}, {
      content: html(
        `<meta name="csrf-token" content="${meta.text}"><script>var apiKey="${key.text}"</script>`,
      ),
    });
    r.get(text`/api/projects?api_key=${key}`, {}, {
      json: { projects: [{ id: project, slug: "apollo" }] },
    });
    r.get(text`/projects/${project}`, {}, { content: html("<h1>Apollo</h1>") });
    r.post(text`/projects/${project}/tasks`, {
      form: [["authenticity_token", meta], ["task[title]", "Write tests"]],
    }, { status: 302, headers: { Location: `/tasks/${task.text}` } });
    r.get(text`/tasks/${task}`, {}, { content: html("<h1>Write tests</h1>") });
  },
};

/**
 * Resumable upload and optimistic locking. Values that occur only in headers are not
 * correlated with `--correlate json`.
 */
const headersOnly: Script = {
  name: "headers_only",
  creator: "mitmproxy/11.0.2",
  origin: "https://files.example",
  record(r) {
    const upload = r.optional("header", r.uuid(), "occurs only in the header Location");
    const etag = r.optional("header", `"${r.hex(32)}"`, "occurs only in the header ETag");
    const trace = r.optional("header", r.hex(32), "occurs only in the header X-Request-Id");
    const version = r.live(`v${r.digits(9)}`, "an id by name, sent in a query");
    const file = r.live(r.uuid(), "a UUID in JSON, sent in paths");
    r.post("/uploads", { json: { name: "tide.csv", size: 5 } }, {
      status: 201,
      headers: { Location: `/uploads/${upload.text}`, "X-Request-Id": trace.text },
    });
    r.call("PATCH", text`/uploads/${upload}`, {
      headers: { "X-Correlation": trace },
      content: { type: "text/plain", text: "a,b,c" },
    }, { json: { file: { id: file }, version_id: version }, headers: { ETag: etag.text } });
    r.get(text`/files/${file}?version_id=${version}`, {}, { json: { name: "tide.csv" } });
    r.call("PUT", text`/files/${file}/name`, {
      headers: { "If-Match": etag },
      json: { name: "ebb.csv" },
    }, { status: 204 });
  },
};

/** Recordings of logins. */
export const LOGINS: readonly Script[] = [
  csrfRotation,
  jwtRefresh,
  oauthRedirects,
  doubleSubmit,
  htmlForms,
  headersOnly,
];
