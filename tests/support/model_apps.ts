import {
  type CreateApp,
  type ModelBrowser,
  type ModelRequest,
  type ModelResponse,
  Values,
} from "./model_app.ts";

/** An application, and what a recorded user does with it. */
export interface Model {
  readonly create: CreateApp;
  use(browser: ModelBrowser): void;
}

function find(pattern: RegExp, text: string): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`${pattern} is not in ${text}`);
  return found;
}

const page = (title: string, body: string): ModelResponse => ({
  html:
    `<!DOCTYPE html>\n<html><head><title>${title}</title></head>\n<body>\n${body}\n</body></html>`,
});

/**
 * Shop with a session login and a CSRF token in every form. Redirects refused requests to the login
 * page.
 */
export const CSRF_SHOP: Model = {
  create(seed) {
    const values = new Values(seed);
    const sessions = new Map<string, { csrf: string; user?: string }>();
    const orders = new Map<string, number>();
    let next = 4_000 + 1_000 * seed;
    return ({ method, path, cookies, form }) => {
      const session = sessions.get(cookies.get("sid") ?? "");
      if (path === "/login" && method === "GET") {
        const sid = values.hex(32);
        const csrf = values.hex(40);
        sessions.set(sid, { csrf });
        return {
          ...page(
            "Log in",
            `<form method="post" action="/login"><input type="hidden" name="csrf" value="${csrf}">` +
              '<input name="user"><input name="password" type="password"></form>',
          ),
          cookies: [`sid=${sid}; Path=/; HttpOnly`],
        };
      }
      const toLogin = {
        status: 302,
        headers: { Location: `/login?next=${encodeURIComponent(path)}` },
      };
      if (session === undefined) return toLogin;
      if (method === "POST" && form.get("csrf") !== session.csrf) return toLogin;
      const csrf = `<input type="hidden" name="csrf" value="${session.csrf}">`;
      if (path === "/login") {
        if (form.get("password") !== "secret1") return page("Log in", "<p>Invalid password</p>");
        session.user = form.get("user")!;
        session.csrf = values.hex(40);
        return { status: 302, headers: { Location: "/" } };
      }
      if (session.user === undefined) return toLogin;
      if (path === "/") {
        return page(
          "Shop",
          `<p>Hello ${session.user}</p><form action="/orders" method="post">${csrf}</form>`,
        );
      }
      if (path === "/orders") {
        const id = String(next += 7);
        orders.set(id, 0);
        return { status: 302, headers: { Location: `/orders/${id}` } };
      }
      const [, , id, action] = path.split("/");
      if (!orders.has(id)) return { status: 404, ...page("Not found", "<p>No such order</p>") };
      if (action === "lines") {
        orders.set(id, orders.get(id)! + 1);
        return { status: 302, headers: { Location: `/orders/${id}` } };
      }
      return page(
        `Order ${id}`,
        `<p>${orders.get(id)} lines</p><form action="/orders/${id}/lines" method="post">${csrf}` +
          '<input name="product"></form>',
      );
    };
  },
  use(browser) {
    const csrfIn = (text: string) => find(/name="csrf" value="([^"]+)"/, text);
    const login = browser.send("GET", "/login");
    browser.send("POST", "/login", {
      form: { csrf: csrfIn(login.body), user: "alice", password: "secret1" },
    });
    const home = browser.send("GET", "/");
    const order = browser.send("POST", "/orders", { form: { csrf: csrfIn(home.body) } }).location;
    const shown = browser.send("GET", order);
    browser.send("POST", `${order}/lines`, {
      form: { csrf: csrfIn(shown.body), product: "tea" },
    });
    browser.send("GET", order);
  },
};

/** A JSON API with a bearer token, generated ids, a version in each object, and a list. */
export const JSON_API: Model = {
  create(seed) {
    const values = new Values(seed);
    const tokens = new Set<string>();
    const projects = new Map<number, { id: number; name: string; version: string }>();
    let next = 50_000 + 977 * seed;
    for (let i = 0; i < seed % 4; i++) {
      const id = next++;
      projects.set(id, { id, name: `left over ${i}`, version: values.hex(16) });
    }
    return ({ method, path, headers, body }) => {
      if (path === "/api/login") {
        const token = values.hex(48);
        tokens.add(token);
        return { json: { success: true, token, user: { id: 12, name: JSON.parse(body).user } } };
      }
      const token = headers.get("authorization")?.replace("Bearer ", "") ?? "";
      if (!tokens.has(token)) return { status: 401, json: { success: false, error: "denied" } };
      if (path === "/api/projects" && method === "GET") {
        return { json: { success: true, projects: [...projects.values()].reverse() } };
      }
      if (path === "/api/projects") {
        const id = next++;
        const project = { id, name: JSON.parse(body).name, version: values.hex(16) };
        projects.set(id, project);
        return { status: 201, json: { success: true, project } };
      }
      const project = projects.get(Number(path.split("/")[3]));
      if (project === undefined) return { status: 404, json: { success: false, error: "missing" } };
      if (method === "PUT") {
        const { version, project_id } = JSON.parse(body);
        if (version !== project.version || project_id !== project.id) {
          return { status: 409, json: { success: false, error: "changed meanwhile" } };
        }
        project.version = values.hex(16);
      }
      if (method === "DELETE") projects.delete(project.id);
      return { json: { success: true, project } };
    };
  },
  use(browser) {
    const { token } = JSON.parse(
      browser.send("POST", "/api/login", { json: { user: "alice" } }).body,
    );
    const headers = { Authorization: `Bearer ${token}` };
    browser.send("GET", "/api/projects", { headers });
    const created = browser.send("POST", "/api/projects", { headers, json: { name: "Garden" } });
    const { id, version } = JSON.parse(created.body).project;
    browser.send("GET", "/api/projects", { headers });
    browser.send("PUT", `/api/projects/${id}`, { headers, json: { version, project_id: id } });
    browser.send("GET", `/api/projects/${id}`, { headers });
    browser.send("DELETE", `/api/projects/${id}`, { headers });
  },
};

/** A chain of redirects as in OpenID Connect: transaction, code, token. */
export const REDIRECT_CHAIN: Model = {
  create(seed) {
    const values = new Values(seed);
    const transactions = new Map<string, { state: string; redirect: string }>();
    const codes = new Set<string>();
    const tokens = new Set<string>();
    return ({ method, path, query, form, body, headers }) => {
      if (path === "/authorize") {
        const tx = values.hex(24);
        transactions.set(tx, { state: query.get("state")!, redirect: query.get("redirect_uri")! });
        return { status: 302, headers: { Location: `/signin?tx=${tx}&prompt=login` } };
      }
      if (path === "/signin" && method === "GET") {
        const tx = query.get("tx") ?? "";
        if (!transactions.has(tx)) {
          return { status: 400, ...page("Error", "<p>Session expired</p>") };
        }
        return page(
          "Sign in",
          `<form action="/signin?tx=${tx}" method="post"><input name="user"></form>`,
        );
      }
      if (path === "/signin") {
        const transaction = transactions.get(query.get("tx") ?? "");
        if (!transaction || !form.get("user")) {
          return { status: 400, ...page("Error", "<p>Session expired</p>") };
        }
        const code = values.hex(30);
        codes.add(code);
        const { redirect, state } = transaction;
        return { status: 302, headers: { Location: `${redirect}?code=${code}&state=${state}` } };
      }
      if (path === "/cb") return page("Welcome", "<p>signed in</p>");
      if (path === "/token") {
        if (!codes.delete(new URLSearchParams(body).get("code") ?? "")) {
          return { status: 400, json: { error: "invalid_grant" } };
        }
        const token = values.hex(32);
        tokens.add(token);
        return { json: { access_token: token, token_type: "Bearer" } };
      }
      const token = headers.get("authorization")?.slice(7) ?? "";
      return tokens.has(token)
        ? { json: { name: "alice" } }
        : { status: 401, json: { error: "x" } };
    };
  },
  use(browser) {
    const redirect = "http://recorded.example:8080/cb";
    const started = browser.send(
      "GET",
      `/authorize?client_id=app&state=fixedstate&redirect_uri=${encodeURIComponent(redirect)}`,
    );
    browser.send("GET", started.location);
    const answered = browser.send("POST", started.location.replace("&prompt=login", ""), {
      form: { user: "alice" },
    });
    browser.send("GET", answered.location);
    const token = browser.send("POST", "/token", {
      form: { grant_type: "authorization_code", code: find(/code=(\w+)/, answered.location) },
    });
    browser.send("GET", "/me", {
      headers: { Authorization: `Bearer ${JSON.parse(token.body).access_token}` },
    });
  },
};

/** Application that numbers its objects from 1, so the first iteration gets the recorded ids. */
export const COUNTED_IDS: Model = {
  create() {
    const notes = new Set<number>();
    let next = 1;
    return ({ method, path }) => {
      if (path === "/notes" && method === "POST") {
        const id = next++;
        notes.add(id);
        return { status: 201, json: { note: { id, text: "x" } } };
      }
      const id = Number(path.split("/")[2]);
      if (!notes.has(id)) return { status: 404, json: { error: "no such note" } };
      if (method === "DELETE") notes.delete(id);
      return { json: { note: { id, text: "x" } } };
    };
  },
  use(browser) {
    browser.send("POST", "/notes", { json: { text: "x" } });
    browser.send("GET", "/notes/1");
    browser.send("DELETE", "/notes/1");
  },
};

/** Application with unique article titles. The path of an article is derived from its title. */
export const UNIQUE_TITLES: Model = {
  create() {
    const articles = new Map<string, string>();
    return ({ method, path, body }) => {
      if (path === "/articles" && method === "POST") {
        const { title } = JSON.parse(body);
        const slug = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
        if (articles.has(slug)) {
          return { status: 422, json: { errors: { title: "has already been taken" } } };
        }
        articles.set(slug, title);
        return { status: 201, json: { article: { slug, title } } };
      }
      const slug = path.split("/")[2];
      const title = articles.get(slug);
      if (title === undefined) return { status: 404, json: { errors: { article: "not found" } } };
      return { json: { article: { slug, title } } };
    };
  },
  use(browser) {
    browser.send("POST", "/articles", {
      json: { title: "How to replay", description: "A guide", body: "Record, convert, run." },
    });
    browser.send("GET", "/articles/how-to-replay");
  },
};

/**
 * Returns the application with a rate limit. Refuses every fourth request, or all requests if
 * `always` is true, with the header `Retry-After: retryAfter`.
 */
export function rateLimited(create: CreateApp, retryAfter: string, always = false): CreateApp {
  return (seed) => {
    const app = create(seed);
    let count = 0;
    return (request: ModelRequest) =>
      always || ++count % 4 === 0
        ? { status: 429, headers: { "Retry-After": retryAfter }, text: "slow down" }
        : app(request);
  };
}

/** Application in which the page generates the id of a draft. The server refuses an existing id. */
export const CLIENT_UUIDS: Model = {
  create() {
    const drafts = new Set<string>();
    return ({ method, path, body }) => {
      if (method === "POST") {
        const { draftId } = JSON.parse(body);
        if (drafts.has(draftId)) return { status: 409, json: { error: "exists" } };
        drafts.add(draftId);
        return { status: 201, json: { draftId } };
      }
      const id = path.split("/")[2];
      return drafts.has(id) ? { json: { id } } : { status: 404, json: { error: "missing" } };
    };
  },
  use(browser) {
    const draftId = "3f0c6a52-9f0e-4c4e-8f5e-0a1b2c3d4e5f";
    browser.send("POST", "/drafts", { json: { draftId, kind: "note" } });
    browser.send("GET", `/drafts/${draftId}`);
  },
};

/** Application whose members have unique names and e-mail addresses. */
export const UNIQUE_MEMBERS: Model = {
  create() {
    const members = new Set<string>();
    return ({ form }) => {
      const [name, email] = [form.get("name")!, form.get("email")!];
      if (members.has(name) || members.has(email)) {
        return page("Join", '<form method="post" action="/join"><p>already exists</p></form>');
      }
      members.add(name).add(email);
      return { status: 302, headers: { Location: "/" } };
    };
  },
  use(browser) {
    browser.send("POST", "/join", { form: { name: "babbage", email: "babbage@example.test" } });
  },
};

/**
 * Application that stores pages by number. The URL of a form contains the number of its page and
 * the number of times that the page was rendered.
 */
export const STORED_PAGES: Model = {
  create(seed) {
    const values = new Values(seed);
    const sessions = new Map<string, Map<number, number>>();
    let next = 5 * seed;
    return ({ method, path, query, cookies, form }) => {
      const [, number, rendering] = /^(\d+)(?:-(\d+)\.-form)?/.exec([...query.keys()][0] ?? "") ??
        [];
      const pages = sessions.get(cookies.get("JSESSIONID") ?? "");
      if (path === "/done") return page("Done", "<p>Thank you</p>");
      if (number === undefined) {
        const id = next++;
        if (pages !== undefined) pages.set(id, 0);
        const session = values.hex(32).toUpperCase();
        if (pages === undefined) sessions.set(session, new Map([[id, 0]]));
        return {
          status: 302,
          headers: { Location: `/form?${id}` },
          ...(pages === undefined && { cookies: [`JSESSIONID=${session}; Path=/; HttpOnly`] }),
        };
      }
      const id = Number(number);
      const renderings = pages?.get(id);
      const expired = { status: 302, headers: { Location: "/expired" } };
      if (renderings === undefined) return expired;
      if (method === "POST") {
        if (Number(rendering) !== renderings) return expired;
        return { status: 302, headers: { Location: form.has("last") ? "/done" : `/form?${id}` } };
      }
      pages!.set(id, renderings + 1);
      return page(
        "Form",
        `<form method="post" action="/form?${id}-${
          renderings + 1
        }.-form"><input name="text"></form>`,
      );
    };
  },
  use(browser) {
    const action = (text: string) => find(/action="([^"]+)"/, text);
    const shown = browser.send("GET", browser.send("GET", "/form").location);
    const saved = browser.send("POST", action(shown.body), { form: { text: "one" } });
    const again = browser.send("GET", saved.location);
    browser.send("POST", action(again.body), { form: { text: "two", last: "1" } });
    browser.send("GET", "/done");
  },
};

/** A page with a version. The server refuses edits that are based on an older version. */
export const VERSIONED_PAGE: Model = {
  create(seed) {
    let version = 4_000 + 100 * seed;
    return ({ method, path, form }) => {
      if (path === "/edit" && method === "POST") {
        if (form.get("version") !== String(version)) {
          return page("Conflict", "<p>Someone else has changed the page</p>");
        }
        version += 3;
        return { status: 302, headers: { Location: "/page" } };
      }
      if (path !== "/edit") return page("Page", "<p>text</p>");
      return page(
        "Edit",
        `<form method="post" action="/edit"><input type="hidden" name="version" value="${version}">` +
          '<textarea name="text"></textarea></form>',
      );
    };
  },
  use(browser) {
    browser.send("GET", "/page");
    const edit = browser.send("GET", "/edit");
    const version = find(/name="version" value="(\d+)"/, edit.body);
    const saved = browser.send("POST", "/edit", { form: { version, text: "Some text" } });
    browser.send("GET", saved.location);
  },
};

/** Notes with generated ids. The list contains only the latest note. */
export const LISTED_NOTES: Model = {
  create(seed) {
    const values = new Values(seed);
    const notes = ["0123abcd"];
    return ({ method, path }) => {
      if (path === "/notes" && method === "POST") {
        notes.push(values.hex(12));
        return { status: 201, json: { note: { id: notes.at(-1) } } };
      }
      if (path === "/notes") return { json: { latest: { id: notes.at(-1) } } };
      const id = path.split("/")[2];
      return notes.includes(id)
        ? { json: { note: { id } } }
        : { status: 404, json: { error: "no such note" } };
    };
  },
  use(browser) {
    const { note } = JSON.parse(browser.send("POST", "/notes", { json: { text: "x" } }).body);
    browser.send("GET", `/notes/${note.id}`);
    const { latest } = JSON.parse(browser.send("GET", "/notes").body);
    browser.send("GET", `/notes/${latest.id}`);
  },
};

/**
 * WebDAV application. The page generates the path of a collection from random digits in UUID
 * format.
 */
export const CLIENT_PATHS: Model = {
  create() {
    const collections = new Map<string, string>();
    return ({ method, path, body }) => {
      if (method === "PROPFIND") {
        const all = [...collections].map(([path, title]) =>
          `<response><href>${path}</href><displayname>${title}</displayname></response>`
        );
        const own = "<response><href>/alice/</href></response>";
        return {
          status: 207,
          xml: `<multistatus xmlns="DAV:">${own}${all.join("")}</multistatus>`,
        };
      }
      if (method === "MKCOL") {
        if (collections.has(path)) return { status: 405, text: "Method not allowed" };
        collections.set(path, JSON.parse(body).title);
        return { status: 201 };
      }
      if (!collections.has(path)) return { status: 404, text: "Not found" };
      if (method === "DELETE") return { xml: `<multistatus xmlns="DAV:"/>` };
      return { json: { ok: true } };
    };
  },
  use(browser) {
    const path = "/alice/35e19021-8b1e-0212-d04d-0602697c405d/";
    browser.send("PROPFIND", "/alice/");
    browser.send("MKCOL", path, { json: { title: "Tea" } });
    browser.send("PROPFIND", "/alice/");
    browser.send("PUT", path, { json: { note: "Every day" } });
    const other = "/alice/60e6f034-dfeb-cfe3-14ad-cea2811df9ff/";
    browser.send("MKCOL", other, { json: { title: "Guests" } });
    browser.send("PUT", other, { json: { note: "Few" } });
  },
};
