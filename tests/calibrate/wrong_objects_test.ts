import { assertEquals } from "@std/assert";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";

/**
 * A project with two tasks, of which the user deletes the second by its id in a list. `selected` is
 * what the request sends besides the id.
 */
const labels = (selected: object): Model => ({
  create(seed) {
    let [project, task] = seed === 1 ? [0, 0] : [4, 9];
    const tasks = new Map<number, { id: number; project: number; text: string }>();
    return ({ method, path, query, body }) => {
      if (method === "POST" && path === "/projects") {
        return { status: 201, json: { id: ++project, title: JSON.parse(body).title } };
      }
      if (method === "POST" && path.startsWith("/projects/")) {
        const own = Number(path.split("/")[2]);
        for (const text of ["The kettle whistles.", "The spoon is small."]) {
          tasks.set(++task, { id: task, project: own, text });
        }
        return { status: 201, json: { task_count: 2 } };
      }
      const listed = () =>
        [...tasks.values()].filter((one) => one.project === Number(query.get("project")));
      if (method === "GET") {
        return { json: { total: listed().length, tasks: listed() } };
      }
      for (const id of JSON.parse(body).included as number[]) {
        if (tasks.get(id)?.project === Number(query.get("project"))) tasks.delete(id);
      }
      return { status: 204, text: "" };
    };
  },
  use(browser) {
    browser.send("POST", "/projects", { json: { title: "Kettles" } });
    browser.send("POST", "/projects/1/import", { json: { file: "kettles" } });
    browser.send("GET", "/tasks?project=1");
    browser.send("POST", "/actions?do=remove&project=1", {
      json: { ...selected, included: [2] },
    });
    browser.send("GET", "/tasks?project=1");
  },
});

for (const start of STARTS) {
  Deno.test(`calibratePlan deletes the row that the user chose: ${start}`, async () => {
    const { calibration, text } = await calibrateModel(labels({ all: false }), { start });
    assertEquals([calibration.proven, /included:\s*- 2\b/.test(text)], [true, false], text);
  });
}

Deno.test("calibratePlan does not prove a plan that deletes a row which the list does not show", async () => {
  const { calibration, kinds } = await calibrateModel(labels({ page: 2 }));
  assertEquals([calibration.proven, kinds[3]], [false, "other request"]);

  assertEquals(calibration.calls[3].differences, [
    'sends the recorded "2", but call 3 shows no row with it',
  ]);
});

/**
 * A server that renames a file if there is one of this name, and responds with the id of the file.
 */
const FILES: Model = {
  create(seed) {
    let id = seed === 1 ? 8 : 20;
    const files: { id: number; name: string; about: string }[] = [];
    return ({ method, path, query, form }) => {
      if (path === "/upload") {
        const same = files.filter(({ name }) => name.startsWith("spoon")).length;
        files.unshift({ id: ++id, name: same ? `spoon-${same}.txt` : "spoon.txt", about: "" });
        return { headers: { "X-Upload-Id": String(id) }, text: String(id) };
      }
      if (path === "/files") {
        const rows = files.map(({ id, name }) =>
          `<tr id="post-${id}"><td><a href="/edit?post=${id}&amp;do=edit">${name}</a></td></tr>`
        );
        return { html: `<html><title>Files</title><table>${rows.join("\n")}</table>` };
      }
      const file = files.find((one) => one.id === Number(query.get("post") ?? form.get("post")));
      if (file === undefined) return { status: 404, html: "<html><title>None</title>" };
      if (method === "POST") file.about = form.get("about")!;
      return {
        html: `<html><title>File</title><form method=post action="/edit"><input type=hidden ` +
          `name=post value="${file.id}"><input name=about value="${file.about}"></form>`,
      };
    };
  },
  use(browser) {
    browser.send("POST", "/upload", { form: { name: "spoon.txt", text: "Sugar" } });
    browser.send("GET", "/files");
    browser.send("GET", "/edit?post=9&do=edit");
    browser.send("POST", "/edit", { form: { post: "9", about: "A small spoon" } });
  },
};

/** The numbers of a new database are those of the recording, or others. */
for (const seed of [1, 2]) {
  for (const start of STARTS) {
    Deno.test(`calibratePlan changes the file that it uploaded: ${start}, database ${seed}`, async () => {
      const changed: string[] = [];
      const uploaded: string[] = [];
      const { calibration } = await calibrateModel(FILES, {
        start,
        live() {
          const app = FILES.create(seed);
          return (request) => {
            const response = app(request);
            if (request.path === "/upload") uploaded.push(response.text!);
            if (request.method === "POST" && request.path === "/edit") {
              changed.push(request.form.get("post")!);
            }
            return response;
          };
        },
      });
      assertEquals(calibration.proven, true);
      assertEquals(changed.slice(-4), uploaded.slice(-4));
    });
  }
}

Deno.test("calibratePlan does not prove a plan that changes a file of an earlier iteration", async () => {
  const { calibration } = await calibrateModel(FILES, {
    start: "all",
    edit: (plan) => JSON.parse(JSON.stringify(plan).replaceAll("${post}", "2${vu}")),
  });
  const { kind, differences } = calibration.calls[3];
  assertEquals([calibration.proven, kind], [false, "other request"]);
  assertEquals(differences, ["`form post` is not that of the object which call 1 created"]);
});

/** Keywords with unique names, which a page shows as links in one row, and which can be renamed. */
const KEYWORDS: Model = {
  create(seed) {
    const names = seed === 1 ? [] : ["Whistles", "Lids"];
    return ({ method, path, form }) => {
      const id = /^\/keyword(\d+)$/.exec(path)?.[1];
      if (method === "POST") {
        const name = form.get("name")!;
        if (names.includes(name)) return { html: `<title>Error</title>${name} exists` };
        if (id === undefined) names.push(name);
        else names[Number(id) - 1] = name;
        return { status: 303, headers: { Location: "/keyword" } };
      }
      const links = names.map((name, i) => `<td><a href="keyword${i + 1}">${name}</a></td>`);
      const value = id === undefined ? "" : names[Number(id) - 1];
      return {
        html: `<title>Keywords</title><table><tr>${links.join("")}</tr></table>` +
          `<form method=post><input name=name value="${value}"></form>`,
      };
    };
  },
  use(browser) {
    for (const name of ["Kettles", "Spoons"]) {
      browser.send("GET", "/keyword");
      browser.send("POST", "/keyword", { form: { name } });
    }
    browser.send("GET", "/keyword");
    browser.send("GET", "/keyword1");
    browser.send("POST", "/keyword1", { form: { name: "Hot kettles" } });
    browser.send("GET", "/keyword");
  },
};

for (const [start, seed] of STARTS.flatMap((start) => [[start, 1], [start, 2]] as const)) {
  Deno.test(`calibratePlan renames the keyword of the link that the user opened: ${start}, database ${seed}`, async () => {
    const renamed: string[] = [];
    const { calibration, text } = await calibrateModel(KEYWORDS, {
      start,
      live() {
        const app = KEYWORDS.create(seed);
        return (request) => {
          const before = app({ ...request, method: "GET", path: "/keyword" }).html!;
          const id = /^\/keyword(\d+)$/.exec(request.path)?.[1];
          const response = app(request);
          if (request.method === "POST" && id !== undefined && response.status === 303) {
            renamed.push(before.split(`"keyword${id}">`)[1].split("<")[0]);
          }
          return response;
        };
      },
    });
    assertEquals(calibration.proven, true, text);
    assertEquals(renamed.slice(-4).filter((name) => !name.startsWith("Kettles")), []);
  });
}

/** A server that responds with an object without members if the object does not exist. */
const RECORDS: Model = {
  create(seed) {
    let id = seed === 1 ? 6 : 40;
    const names = new Map<number, string>();
    return ({ method, path, body }) => {
      if (method === "POST") {
        names.set(++id, JSON.parse(body).name);
        return { status: 201, json: { id } };
      }
      const asked = Number(path.split("/")[2]);
      const name = names.get(asked);
      const params = name === undefined ? {} : { id: asked, name, minutes: 3, green: false };
      return { json: { record: { params, errors: {}, baseError: null } } };
    };
  },
  use(browser) {
    browser.send("POST", "/records", { json: { name: "Darjeeling" } });
    browser.send("GET", "/records/7");
  },
};

Deno.test("calibratePlan does not prove a plan that reads an object which does not exist", async () => {
  const { calibration } = await calibrateModel(RECORDS, {
    start: "all",
    edit: (plan) =>
      JSON.parse(JSON.stringify(plan).replace(/records\/\$\{\w+\}/g, "records/1${vu}")),
  });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.calls[1].differences, [
    "content of JSON members none instead of $.record.params with 4 members",
  ]);
});

/** A page with a check box for each topic, and a server that redirects after any request. */
const TOPICS: Model = {
  create(seed) {
    let id = seed === 1 ? 2 : 40;
    const topics: { id: number; title: string; locked: boolean }[] = [];
    return ({ method, path, form }) => {
      if (path === "/topics") topics.push({ id: ++id, title: form.get("title")!, locked: false });
      for (const one of topics) one.locked ||= String(one.id) === form.get("topic");
      if (method === "POST") return { status: 302, headers: { Location: "/moderate" }, text: "" };
      const boxes = topics.filter(({ locked }) => !locked).map(({ id, title }) =>
        `<p>${title} <input type=checkbox name=topic value="${id}"></p>`
      );
      return { html: `<html><title>Topics</title><form>${boxes.join("")}</form>` };
    };
  },
  use(browser) {
    browser.send("POST", "/topics", { form: { title: "Green tea" } });
    browser.send("GET", "/moderate");
    browser.send("POST", "/moderate", { form: { topic: "3", do: "lock" } });
    browser.send("GET", "/moderate");
  },
};

Deno.test("calibratePlan does not prove a plan that sends a choice which the live page does not offer", async () => {
  const { calibration } = await calibrateModel(TOPICS, {
    start: "all",
    edit: (plan) => JSON.parse(JSON.stringify(plan).replace(/"topic":"[^"]*"/, '"topic":"2${vu}"')),
  });
  const { kind, differences } = calibration.calls[2];
  assertEquals([calibration.proven, kind, differences], [false, "other request", [
    "`form topic` is not among the choices of call 2",
  ]]);
});

Deno.test("calibratePlan keeps a number that the user chose although it equals a count", async () => {
  const { calibration, text } = await calibrateModel({
    create(seed) {
      const filters = seed === 1 ? ["all"] : ["all", "mine", "late"];
      return ({ method, path, body }) => {
        if (path === "/filters/count") return { json: { count: filters.length } };
        if (method === "POST") filters.push(JSON.parse(body).title);
        return { json: { id: `f${filters.length}` } };
      };
    },
    use(browser) {
      browser.send("GET", "/filters/count");
      browser.send("POST", "/filters/create", { json: { title: "Sugar", priority: 1 } });
      browser.send("GET", "/filters/count");
    },
  });
  assertEquals([calibration.extracted, /priority: 1\b/.test(text)], [[], true], text);
});

/** A server that deletes the tea at a position of the list, by a link, and shows its name. */
const TEAS: Model = {
  create() {
    const teas = ["Oolong"];
    return ({ path, query, form }) => {
      const name = form.get("name");
      let text = "The teas";
      if (path === "/remove") text = `${teas.splice(Number(query.get("row")), 1)[0]} is deleted`;
      else if (name !== null && teas.includes(name)) text = "A tea with this name exists already";
      else if (name !== null) text = `${teas[teas.push(name) - 1]} is saved`;
      const rows = teas.map((tea, i) =>
        `<tr><td>${tea}<td><a href="/remove?row=${i}">Drop</a></tr>`
      );
      return { html: `<html><title>Teas</title><p>${text}</p><table>${rows.join("")}</table>` };
    };
  },
  use(browser) {
    for (const name of ["Assam", "Mint"]) browser.send("POST", "/teas", { form: { name } });
    browser.send("GET", "/remove?row=2");
  },
};

Deno.test("calibratePlan does not prove a plan whose link deletes the tea of another iteration", async () => {
  const { calibration, kinds } = await calibrateModel(TEAS);
  assertEquals([calibration.proven, calibration.exceptState, kinds[2]], [false, false, "state"]);
});
