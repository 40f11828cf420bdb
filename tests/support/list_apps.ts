import type { ModelResponse } from "./model_app.ts";
import type { Model } from "./model_apps.ts";

/** An object in a list that all users share. */
export interface Tea {
  readonly id: number;
  /** Name of the tea when it was added. */
  readonly added: string;
  name: string;
  readonly kind: string;
}

/** Log of the changes that users made to the shared list of teas. */
export interface TeaLog {
  /** All teas that were added, including deleted ones. */
  readonly teas: Tea[];
  readonly kinds: string[];
  /** Teas in the order in which they were renamed. `deleted` contains the deleted ones. */
  readonly renamed: Tea[];
  readonly deleted: Tea[];
}

const page = (title: string, body: string): ModelResponse => ({
  html:
    `<!DOCTYPE html>\n<html><head><title>${title}</title></head>\n<body>\n${body}\n</body></html>`,
});
const see = (location: string): ModelResponse => ({ status: 302, headers: { Location: location } });

function teaForm(action: string, kinds: readonly string[]): ModelResponse {
  const options = kinds.map((kind, i) => `<option value="${i + 1}">${kind}</option>`).join("\n");
  return page(
    "Tea",
    `<form method="post" action="${action}"><select id="kind" name="kind">${options}</select>` +
      `<input name="name"></form>`,
  );
}

function teaTable(teas: readonly Tea[], kinds: readonly string[]): string {
  const rows = teas.map(({ id, name, kind }) =>
    `<tr><td><a href="/teas/edit/${id}">Edit</a> <a id="delete-/teas/delete/${id}">Delete</a></td>
<td>${name}</td><td>${kinds[Number(kind) - 1]}</td></tr>`
  );
  const table = `<table>\n${rows.join("\n")}\n</table>`;
  return rows.length === 0 ? table : `<form method="post" action="/teas/all">${table}</form>`;
}

/**
 * Creates an application with forms and a list that all users share. Kinds of tea have unique
 * names; teas do not. Ids are small numbers, and only the list shows the id of a new tea. Deleting
 * a missing tea returns 404. Calls `onLog` with the log of each new application.
 */
export function teaList(onLog: (log: TeaLog) => void = () => {}): Model {
  return {
    create() {
      const log: TeaLog = { teas: [], kinds: [], renamed: [], deleted: [] };
      onLog(log);
      const present = () => log.teas.filter((tea) => !log.deleted.includes(tea));
      return ({ method, path, query, form }) => {
        const id = Number(path.split("/")[3]);
        const tea = present().find((one) => one.id === id);
        if (path === "/kinds/add") {
          const name = form.get("name");
          if (name === null || log.kinds.includes(name)) {
            return page(
              "Kind",
              `<form method="post" action="/kinds/add"><input name="name"></form>`,
            );
          }
          log.kinds.push(name);
          return see("/kinds");
        }
        if (path === "/teas/add") {
          if (method === "GET") return teaForm(path, log.kinds);
          const [name, kind] = [form.get("name")!, form.get("kind")!];
          log.teas.push({ id: log.teas.length + 1, added: name, name, kind });
          return see("/home");
        }
        if (path === "/teas") {
          const found = present().filter(({ name }) => name.startsWith(query.get("q") ?? ""));
          return page("Teas", teaTable(found, log.kinds));
        }
        if (path === "/home" || path === "/kinds") return page("Home", "<p>Tea house</p>");
        if (tea === undefined) return { status: 404, ...page("Missing", "<p>Not found</p>") };
        if (path.startsWith("/teas/delete/")) {
          log.deleted.push(tea);
          return see("/teas");
        }
        if (method === "GET") return teaForm(path, log.kinds);
        log.renamed.push(tea);
        tea.name = form.get("name")!;
        return see("/teas");
      };
    },
    use(browser) {
      browser.send("GET", "/kinds/add");
      browser.send("POST", "/kinds/add", { form: { name: "Black tea" } });
      for (const name of ["Assam", "Earl Grey"]) {
        const { body } = browser.send("GET", "/teas/add");
        const kind = /value="(\d+)">Black tea/.exec(body)![1];
        browser.send("POST", "/teas/add", { form: { kind, name } });
      }
      const { body } = browser.send("GET", "/teas");
      const [id] = idsIn(body);
      browser.send("GET", `/teas/edit/${id}`);
      browser.send("POST", `/teas/edit/${id}`, { form: { kind: "1", name: "Darjeeling" } });
      const found = browser.send("GET", "/teas?q=Earl");
      browser.send("POST", `/teas/delete/${idsIn(found.body)[0]}`, { form: { delete: "" } });
      // Empty, unless another user has added a tea of this name.
      browser.send("GET", "/teas?q=Earl");
    },
  };
}

function idsIn(body: string): string[] {
  return [...body.matchAll(/\/teas\/edit\/(\d+)/g)].map(([, id]) => id);
}

/**
 * Creates an application like `teaList`, but with a JSON API that returns no id when a tea is
 * added.
 */
export function teaApi(onLog: (log: TeaLog) => void = () => {}): Model {
  return {
    create() {
      const log: TeaLog = { teas: [], kinds: [], renamed: [], deleted: [] };
      onLog(log);
      const present = () => log.teas.filter((tea) => !log.deleted.includes(tea));
      return ({ method, path, body }) => {
        const tea = present().find(({ id }) => id === Number(path.split("/")[3]));
        if (path === "/api/teas") {
          if (method === "GET") {
            return { json: { teas: present().map(({ id, name }) => ({ id, name })) } };
          }
          const { name } = JSON.parse(body);
          log.teas.push({ id: log.teas.length + 1, added: name, name, kind: "" });
          return { json: { success: true } };
        }
        if (tea === undefined) return { status: 404, json: { error: "no such tea" } };
        if (method === "DELETE") {
          log.deleted.push(tea);
          return { json: { success: true } };
        }
        log.renamed.push(tea);
        tea.name = JSON.parse(body).name;
        return { json: { success: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/api/teas", { json: { name: "Assam" } });
      browser.send("POST", "/api/teas", { json: { name: "Earl Grey" } });
      const { teas } = JSON.parse(browser.send("GET", "/api/teas").body);
      browser.send("PUT", `/api/teas/${teas[0].id}`, { json: { name: "Darjeeling" } });
      browser.send("DELETE", `/api/teas/${teas[1].id}`);
      browser.send("GET", "/api/teas");
    },
  };
}
