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

/**
 * Wiki with unique slugs. An edit must change the text. Returns the form again if it refuses a
 * request.
 */
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

/** A page that exists on every server. An edit must change its text. */
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

/** JSON API with unique group names. The path of a group contains its name. */
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

/** Application that refuses an uploaded file if its name is taken. */
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

/** Application that appends a number to the name of a new document if the name is taken. */
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

/** Poll with sessions and CSRF tokens. Refuses a comment with the same text as an existing one. */
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

/**
 * JSON API that returns the ids of new notes only in a list, the oldest first. Titles are unique.
 */
export const LISTED_NOTES: Model = {
  create(seed) {
    let next = 4_000 + 991 * seed;
    const notes: { id: number; title: string }[] = [];
    return ({ method, path, body }) => {
      if (path === "/api/notes" && method === "POST") {
        if (notes.some(({ title }) => title === JSON.parse(body).title)) {
          return { status: 409, json: { error: "exists" } };
        }
        notes.push({ id: next += 7, title: JSON.parse(body).title });
        return { status: 204 };
      }
      if (path === "/api/notes") return { json: { notes } };
      const note = notes.find(({ id }) => id === Number(path.split("/")[3]));
      if (note === undefined) return { status: 404, json: { error: "no such note" } };
      return { json: { note } };
    };
  },
  use(browser) {
    browser.send("POST", "/api/notes", { json: { title: "Water the garden" } });
    const { notes } = JSON.parse(browser.send("GET", "/api/notes").body);
    browser.send("GET", `/api/notes/${notes[0].id}`);
  },
};

/**
 * Pages with a table, the oldest row first. The ids of new rows are in event handlers. Titles are
 * unique.
 */
export const LISTED_ROWS: Model = {
  create(seed) {
    let next = 40 + 13 * seed;
    const rows = new Map<string, number>();
    return ({ method, path, form: sent }) => {
      const list = [...rows].map(([title, id]) =>
        `<tr><td>${title}</td><td><button onclick="edit(${id})">Edit</button></td></tr>`
      ).join("\n");
      const editor = page("New", form("/new", '<input name="title">'));
      if (path === "/new" && method === "GET") return editor;
      if (path === "/new") {
        const title = sent.get("title")!;
        if (rows.has(title)) return editor;
        rows.set(title, next++);
        return see("/notes");
      }
      if (path === "/notes") return page("List", `<table>${list}</table>`);
      const id = Number(path.split("/")[2]);
      const [title] = [...rows].find((row) => row[1] === id) ?? [];
      if (title === undefined) return { status: 404, ...page("Missing", "<p>No such row</p>") };
      return page("Row", `<p>${title}</p>`);
    };
  },
  use(browser) {
    browser.send("GET", "/new");
    const { location } = browser.send("POST", "/new", { form: { title: "Water the garden" } });
    const { body } = browser.send("GET", location);
    browser.send("GET", `/notes/${/edit\((\d+)\)/.exec(body)![1]}`);
  },
};
