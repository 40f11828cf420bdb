import type { ModelRequest, ModelResponse } from "./model_app.ts";
import type { Model } from "./model_apps.ts";
import { Values } from "./model_app.ts";

const page = (title: string, body: string): ModelResponse => ({
  html:
    `<!DOCTYPE html>\n<html><head><title>${title}</title></head>\n<body>\n${body}\n</body></html>`,
});
const form = (action: string, fields: string) =>
  `<form method="post" action="${action}">${fields}</form>`;
const see = (location: string): ModelResponse => ({ status: 302, headers: { Location: location } });
const slugOf = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** Articles whose slugs are unique, and whose edits must change the text. Refuses with the form. */
export const WIKI: Model = {
  create() {
    const articles = new Map<string, string>();
    return ({ method, path, form: sent }) => {
      const editor = page(
        "Edit",
        form(path, '<input name="title"><textarea name="text"></textarea>'),
      );
      if (path === "/new") {
        if (method === "GET") return editor;
        const slug = slugOf(sent.get("title")!);
        if (articles.has(slug)) return editor;
        articles.set(slug, sent.get("text")!);
        return see(`/wiki/${slug}`);
      }
      const slug = path.split("/")[2];
      const text = articles.get(slug);
      if (text === undefined) return { status: 404, ...page("Missing", "<p>No such page</p>") };
      if (!path.endsWith("/edit")) return page("Article", `<p>${text}</p>`);
      if (method === "GET" || sent.get("text") === text) return editor;
      articles.set(slug, sent.get("text")!);
      return see(`/wiki/${slug}`);
    };
  },
  use(browser) {
    browser.send("GET", "/new");
    const made = browser.send("POST", "/new", { form: { title: "Green tea", text: "Steep it." } });
    browser.send("GET", made.location);
    browser.send("GET", `${made.location}/edit`);
    browser.send("POST", `${made.location}/edit`, { form: { text: "Steep it for two minutes." } });
    browser.send("GET", made.location);
  },
};

/** A page that exists on each server, and whose edits must change its text. */
export const EDITED_PAGE: Model = {
  create() {
    let text = "Welcome";
    return ({ method, form: sent }) => {
      if (method === "GET") {
        return page("Start", form("/start", `<textarea name="text">${text}</textarea>`));
      }
      if (sent.get("text") === text) {
        return { status: 200, ...page("Start", "<p class='error'>Page not modified</p>") };
      }
      text = sent.get("text")!;
      return see("/start");
    };
  },
  use(browser) {
    browser.send("GET", "/start");
    browser.send("POST", "/start", { form: { text: "Welcome to the tea house" } });
    browser.send("GET", "/start");
  },
};

/** JSON API: the names of groups are unique, and their paths contain them. */
export const GROUPS: Model = {
  create() {
    const groups = new Set<string>();
    return ({ method, path, body }) => {
      if (method === "POST") {
        const { name } = JSON.parse(body);
        if (groups.has(name)) return { status: 409, json: { error: "name is taken" } };
        groups.add(name);
        return { status: 201, json: { name, members: [] } };
      }
      const name = decodeURIComponent(path.split("/")[3]);
      if (!groups.has(name)) return { status: 404, json: { error: "no such group" } };
      if (method === "DELETE") groups.delete(name);
      return { json: { name, members: [] } };
    };
  },
  use(browser) {
    browser.send("POST", "/api/groups", { json: { name: "drinkers", kind: "private" } });
    browser.send("GET", "/api/groups/drinkers");
  },
};

/** Uploads: the server refuses a file whose name exists. */
export const FILES: Model = {
  create() {
    const files = new Set<string>();
    return ({ method, path, headers }) => {
      if (method === "GET") return { json: [...files].map((name) => ({ name })) };
      const name = path.split("/")[2] ?? headers.get("x-file-name") ?? "";
      if (files.has(name)) return { status: 409, json: { error: "exists" } };
      files.add(name);
      return { status: 201, json: { name } };
    };
  },
  use(browser) {
    browser.send("PUT", "/files/kettle-manual.txt", { json: { text: "Fill it." } });
    browser.send("GET", "/files");
  },
};

/** The server numbers a new document of the same name. */
export const NUMBERED: Model = {
  create() {
    const documents = new Map<string, string>();
    return ({ method, path }: ModelRequest) => {
      const name = decodeURIComponent(path.split("/")[2] ?? "");
      if (method === "POST") {
        let free = "Untitled Document";
        for (let n = 1; documents.has(free); n++) free = `Untitled Document ${n}`;
        documents.set(free, "");
        return {
          status: 201,
          headers: { Location: `/documents/${encodeURIComponent(free)}` },
          json: { name: free },
        };
      }
      if (!documents.has(name)) return { status: 404, json: { error: "missing" } };
      if (method === "DELETE") documents.delete(name);
      return { json: { name } };
    };
  },
  use(browser) {
    const { location } = browser.send("POST", "/documents", { json: { kind: "text" } });
    browser.send("GET", location);
  },
};

/** Sessions, CSRF tokens, and votes, of which each user has one for each poll. */
export const POLLS: Model = {
  create(seed) {
    const values = new Values(seed);
    const sessions = new Map<string, string>();
    const comments = new Set<string>();
    return ({ method, path, cookies, form: sent }) => {
      if (path === "/poll" && method === "GET") {
        const [sid, csrf] = [values.hex(32), values.hex(32)];
        sessions.set(sid, csrf);
        return {
          ...page("Poll", form("/comment", `<input type="hidden" name="csrf" value="${csrf}">`)),
          cookies: [`sid=${sid}; Path=/`],
        };
      }
      const csrf = sessions.get(cookies.get("sid") ?? "");
      if (csrf === undefined || sent.get("csrf") !== csrf) {
        return { status: 403, ...page("Forbidden", "<p>Invalid token</p>") };
      }
      const comment = sent.get("comment")!;
      if (comments.has(comment)) return { status: 409, ...page("Duplicate", "<p>Duplicate</p>") };
      comments.add(comment);
      return see("/poll");
    };
  },
  use(browser) {
    const { body } = browser.send("GET", "/poll");
    const csrf = /name="csrf" value="(\w+)"/.exec(body)![1];
    browser.send("POST", "/comment", { form: { csrf, comment: "Great" } });
  },
};
