import { assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel, STARTS, textOf } from "../support/calibrated.ts";
import { Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

/** A server that accepts any note, and responds as if it had stored it. */
const CARELESS: Model = {
  create: () => () => ({ json: { ok: true } }),
  use(browser) {
    browser.send("POST", "/notes", { json: { title: "Tea", text: "at five", isOpen: true } });
    browser.send("POST", "/pay", { form: { data: '{"order_id":317}' } });
    browser.send("DELETE", "/notes/last");
  },
};

const EDITS: Readonly<Record<string, readonly [from: string, to: string, reason: string]>> = {
  "without a field": [',"text":"at five"', "", "`json $.text` is not sent"],
  "with an empty field": ["at five", "", "`json $.text` is sent empty"],
  "with other text": ["at five", "at six", "`json $.text` is sent with another value"],
  "with another choice": [
    '"isOpen":true',
    '"isOpen":false',
    "`json $.isOpen` is sent with another value",
  ],
  "with another number in JSON in a form field": [
    ":317}",
    ":318}",
    "`form data $.order_id` is sent with another value",
  ],
};

for (const [name, [from, to, reason]] of Object.entries(EDITS)) {
  Deno.test(`calibratePlan does not report a write ${name} as proven`, async () => {
    const edit = (plan: Plan) => JSON.parse(JSON.stringify(plan).replace(from, to)) as Plan;
    const { calibration } = await calibrateModel(CARELESS, { edit });
    assertEquals(calibration.proven, false);
    const text = calibrationText(calibration, (text) => text, false);
    assertStringIncludes(text, reason);
  });
}

Deno.test("calibratePlan reports the call that found no value for a request that is not sent", async () => {
  const edit = (plan: Plan) =>
    JSON.parse(
      JSON.stringify(plan).replace(":317}", ":${order}}")
        .replace(
          '"checks"',
          '"extract":[{"type":"jsonpath","name":"order","expression":"$.id"}],$&',
        ),
    ) as Plan;
  const { calibration } = await calibrateModel(CARELESS, { edit, start: "all" });
  assertStringIncludes(
    textOf(calibration),
    "not sent (user 1, iteration 1): call 1 found no value",
  );
});

Deno.test("calibratePlan accepts the name of the button of a row, which consists of a variable", async () => {
  const dropped: (string | undefined)[] = [];
  const { calibration, text } = await calibrateModel({
    create(seed) {
      const teas = seed === 1 ? ["House"] : ["House", "Oolong"];
      return ({ method, form }) => {
        const at = /\d+/.exec(form.get("source") ?? "")?.[0];
        if (at !== undefined && form.has(form.get("source")!)) dropped.push(teas[Number(at)]);
        else if (method === "POST") teas.push(form.get("name")!);
        const rows = teas.map((name, i) =>
          `<tr><td>${name}</td><td><button id="form:teas:${i}:del">X</button></td></tr>`
        );
        return { html: `<html><title>Teas</title><table>${rows.join("")}</table></html>` };
      };
    },
    use(browser) {
      browser.send("POST", "/teas", { form: { source: "form:save", name: "Sencha faces" } });
      browser.send("POST", "/teas", {
        form: { source: "form:teas:1:del", "form:teas:1:del": "form:teas:1:del", all: "no" },
      });
    },
  }, { start: "all" });
  assertEquals(calibration.proven, true, textOf(calibration) + text);
  assertEquals(dropped.slice(-4).every((name) => name?.startsWith("Sencha faces")), true);
});

Deno.test("calibratePlan accepts names of fields and members that consist of ids", async () => {
  const { calibration, text } = await calibrateModel({
    create(seed) {
      const teas = ["Assam", "Oolong"].map((name, i) => ({ id: 7_310 * seed + i, name }));
      const seen = new Set(teas.map(({ id }) => `tea_${id}`));
      return ({ method, path, form, body }) => {
        if (method === "GET") return { json: { teas } };
        const names = path === "/rate" ? [...form.keys()] : Object.keys(JSON.parse(body).update);
        return names.every((name) => seen.has(name) || teas.some(({ id }) => `${id}` === name))
          ? { json: { ok: true } }
          : { status: 400 };
      };
    },
    use(browser) {
      browser.send("GET", "/teas");
      browser.send("POST", "/rate", { form: { tea_7310: "good", tea_7311: "fair" } });
      browser.send("POST", "/set", {
        json: { using: ["set"], update: { "7311": { cold: true } } },
      });
    },
  }, { start: "all" });
  assertEquals(calibration.calls.map(({ differences }) => differences), [[], [], []], text);
});

Deno.test("calibratePlan accepts a body with the address of the target in place of the recorded one", async () => {
  const { calibration, text } = await calibrateModel({
    create: () => () => ({ json: { ok: true } }),
    use: (browser) =>
      void browser.send("POST", "/token", {
        form: { code: "a", redirect_uri: "http://recorded.example:8080/cb" },
      }),
  });
  assertEquals(calibration.proven, true, text);
});

Deno.test("calibratePlan does not report a plan as proven that sends a write twice, or not at all", async () => {
  const edit = (change: (flow: Plan["scenarios"][string]["flow"]) => unknown) => (plan: Plan) => {
    const [[name, scenario]] = Object.entries(plan.scenarios);
    return {
      ...plan,
      scenarios: { [name]: { ...scenario, flow: change(scenario.flow) } },
    } as Plan;
  };
  const twice = await calibrateModel(CARELESS, {
    edit: edit((flow) => [...flow, structuredClone(flow.at(-1))]),
  });
  assertEquals([twice.calibration.proven, twice.kinds.at(-1)], [false, "other request"]);
  const omitted = await calibrateModel(CARELESS, { edit: edit((flow) => flow.slice(0, -1)) });
  assertEquals(omitted.calibration.missing, [{ entry: 3, name: "DELETE /notes/last" }]);
  assertEquals(omitted.calibration.proven, false);
  const onPurpose = await calibrateModel(CARELESS, {
    edit: (plan) => ({ ...edit((flow) => flow.slice(0, -1))(plan), recorded: { left_out: [3] } }),
  });
  assertEquals(onPurpose.calibration.proven, true);
});

Deno.test("calibratePlan does not report a write as proven whose work no response shows", async () => {
  const shelf = (stores: boolean): Model => ({
    create() {
      const titles: string[] = [];
      return ({ method, form }) => {
        if (method !== "POST") return { json: { items: [...titles] } };
        if (stores) titles.push(form.get("title")!);
        return { json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/books", { form: { title: "Walden" } });
      browser.send("GET", "/books");
    },
  });
  const { calibration, kinds } = await calibrateModel(shelf(true), { live: shelf(false).create });
  assertEquals(calibration.proven, false);
  assertEquals(kinds.includes("not shown"), true, kinds.join());
});

Deno.test("calibratePlan takes no cookie that all responses renew for the session of a login", async () => {
  const club = (keeps: boolean): Model => ({
    create() {
      let renewed = 0;
      const members = ["Ola"];
      return ({ method, path, body }) => {
        const cookies = [`sid=s${++renewed}`];
        if (method === "POST") {
          if (keeps) members.push(JSON.parse(body).name);
          return { json: { ok: true }, cookies };
        }
        return path === "/members"
          ? { json: { members }, cookies }
          : { json: { version: "1.0" }, cookies };
      };
    },
    use(browser) {
      browser.send("GET", "/ping");
      browser.send("POST", "/members", { json: { name: "Grace Hopper", password: "wJ8!x" } });
      browser.send("GET", "/members");
      browser.send("GET", "/ping");
    },
  });
  const { calibration, kinds } = await calibrateModel(club(true), { live: club(false).create });
  assertEquals([calibration.proven, kinds[1]], [false, "not shown"]);
});

Deno.test("calibratePlan proves a login whose user a later list no longer shows", async () => {
  const desk = (members: readonly string[]): Model => ({
    create() {
      let sessions = 0;
      return ({ path, cookies }) => {
        if (path === "/enter") {
          return { status: 303, headers: { Location: "/" }, cookies: [`sid=${++sessions}`] };
        }
        return cookies.has("sid") ? { json: { items: members } } : { status: 401, text: "" };
      };
    },
    use(browser) {
      browser.send("POST", "/enter", { form: { user: "grace-kettle", pw: "wJ8!x" } });
      browser.send("GET", "/members");
    },
  });
  const { calibration, kinds } = await calibrateModel(desk(["grace-kettle"]), {
    live: desk([]).create,
  });
  assertEquals([calibration.proven, ...kinds], [true, "as recorded", "as recorded"]);
});

Deno.test("calibratePlan makes text unique if a write with it works only on fresh data", async () => {
  const { calibration, kinds } = await calibrateModel({
    create() {
      const known = new Set<string>();
      let shelf: string[] = [];
      return ({ method, path, form }) => {
        if (method === "GET") return { json: { items: shelf } };
        if (path === "/archive") shelf = [];
        else if (!known.has(form.get("title")!)) {
          known.add(form.get("title")!);
          shelf.push(form.get("title")!);
        }
        return { json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/import", { form: { user_name: "Thoreau", title: "Walden" } });
      browser.send("GET", "/books");
      browser.send("POST", "/archive");
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), ["Walden${unique}"]);
  assertEquals([calibration.proven, kinds], [true, ["repaired", "as recorded", "as recorded"]]);
});

Deno.test("calibratePlan does not report a write as proven that sends the id of another object, which it also sends in its own place", async () => {
  const { calibration, kinds } = await calibrateModel({
    create: () => ({ method }) =>
      method === "GET" ? { json: { name: "zk4a7", add: "zk4a8" } } : { json: { ok: true } },
    use(browser) {
      browser.send("GET", "/form");
      browser.send("POST", "/commands", { form: { changed: "zk4a7", clicked: "zk4a8" } });
    },
  }, {
    edit(plan) {
      const [first, second] = structuredClone(plan.scenarios.recorded.flow);
      const extract = [{ type: "jsonpath" as const, name: "changed", expression: "$.name" }];
      const body = { form: { changed: "${changed}", clicked: "zk4a7" } };
      const flow = [
        { request: { ...first.request!, extract } },
        { request: { ...second.request!, body } },
      ];
      return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } } as Plan;
    },
  });
  assertEquals([calibration.proven, kinds[1]], [false, "other request"]);
});

Deno.test("calibratePlan proves a write whose new id equals another literal of its request", async () => {
  const desk = (first: number): Model => ({
    create() {
      let next = first;
      const texts = new Map<string, string>();
      return ({ method, path, form }) => {
        const id = path.split("/")[2];
        if (path === "/tickets" && method === "POST") {
          texts.set(String(next), form.get("title")!);
          return { status: 302, headers: { Location: `/tickets/${next++}/` } };
        }
        if (!texts.has(id)) return { status: 404, json: { error: "no such ticket" } };
        if (method === "POST") {
          texts.set(id, form.get("comment")!);
          return { status: 302, headers: { Location: `/tickets/${id}/` } };
        }
        return { html: `<title>Ticket</title><h1>Ticket</h1><p>${texts.get(id)}</p>` };
      };
    },
    use(browser) {
      browser.send("POST", "/tickets", { form: { title: "Green teapot" } });
      browser.send("GET", "/tickets/1/");
      browser.send("POST", "/tickets/1/update/", {
        form: { comment: "Broken lid", priority: "4" },
      });
      browser.send("GET", "/tickets/1/");
    },
  });
  const { calibration, kinds } = await calibrateModel(desk(1), {
    start: "all",
    live: desk(3).create,
  });
  assertEquals([calibration.proven, ...kinds], [true, ...Array(4).fill("as recorded")]);
});

Deno.test("calibratePlan names the fields that only the live form of a refused write has", async () => {
  const order = (fields: readonly string[]): Model => ({
    create: () => ({ method, form }) => {
      const inputs = ["csrf", ...fields].map((name) => `<input name="${name}" value="4">`).join("");
      if (method === "GET") {
        return { html: `<title>Order</title><form method=post>${inputs}</form>` };
      }
      const isWhole = fields.every((name) => form.has(name));
      return isWhole ? { json: { ok: true } } : { html: "<title>Order</title><p>Which?</p>" };
    },
    use(browser) {
      browser.send("GET", "/order");
      browser.send("POST", "/order", { form: { csrf: "4", question_1: "4" } });
    },
  });
  const { calibration } = await calibrateModel(order(["question_1"]), {
    live: order(["question_1", "question_2"]).create,
  });
  const text = calibrationText(calibration, (text) => text, false);
  assertStringIncludes(text, "the live form has fields that the plan does not send: question_2");
  assertEquals(calibration.proven, false);
});

const OPERATIONS = JSON.stringify({ data: { category: { connect: { id: "4" } } } });

/** A shop in which each tea belongs to a category. Ids of one digit are counted. */
const TEAS: Model = {
  create(seed) {
    const counts = { categories: 3 * seed, teas: 10 * seed };
    let category = "";
    return ({ method, path, form }) => {
      if (path === "/categories") return { json: { category: { id: `${++counts.categories}` } } };
      if (method === "GET") return { json: { tea: { name: "Sencha", category } } };
      category = JSON.parse(form.get("operations")!).data.category.connect.id;
      return { json: { tea: { id: `${++counts.teas}` } } };
    };
  },
  use(browser) {
    browser.send("POST", "/categories", { form: { label: "Green tea" } });
    browser.send("POST", "/teas", { form: { operations: OPERATIONS } });
    browser.send("GET", "/tea");
  },
};

Deno.test("calibratePlan sends the id of the created object also in JSON in a form field", async () => {
  for (const start of ["bare", "all"] as const) {
    const { calibration, text } = await calibrateModel(TEAS, { start });
    assertStringIncludes(text, '\\"connect\\":{\\"id\\":\\"${');
    assertEquals([start, calibration.proven], [start, true]);
  }
});

Deno.test("calibratePlan does not report a write as proven that sends the recorded id of an object that has another one", async () => {
  const { calibration, kinds } = await calibrateModel(TEAS, {
    edit(plan) {
      const [first, second, third] = structuredClone(plan.scenarios.recorded.flow);
      const extract = [{
        type: "jsonpath" as const,
        name: "category_id",
        expression: "$.category.id",
      }];
      const headers = { "X-Category": "${category_id}" };
      // An earlier request sends the number at the same place, so the client chose it.
      const form = { label: "Green tea", operations: OPERATIONS };
      const flow = [
        { request: { ...first.request!, extract, body: { form } } },
        { request: { ...second.request!, headers } },
        third,
      ];
      return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } } as Plan;
    },
  });
  assertEquals([calibration.proven, kinds[1]], [false, "other request"]);
  const text = calibrationText(calibration, (text) => text, false);
  assertStringIncludes(text, "connect.id` is sent as recorded, not as `${category_id}`");
});

/** A library that responds alike to each delete, whether the book exists or not. */
const BOOKS: Model = {
  create(seed) {
    let count = 2 * seed;
    return ({ method, path }) => {
      if (path === "/books") return { json: { book: { id: ++count } } };
      return method === "GET"
        ? { json: { book: { name: "Tea", pages: 120 } } }
        : { status: 302, headers: { Location: "/" } };
    };
  },
  use(browser) {
    browser.send("POST", "/books", { form: { name: "Tea" } });
    browser.send("GET", "/books/3");
    browser.send("POST", "/delete/3", { form: { sure: "yes" } });
  },
};

Deno.test("calibratePlan does not report a delete as proven whose path contains the recorded id of an object that has another one", async () => {
  const { calibration, kinds, text } = await calibrateModel(BOOKS, {
    edit: (plan) => JSON.parse(JSON.stringify(plan).replace(/\/delete\/\$\{\w+\}/, "/delete/3")),
  });
  assertEquals([calibration.proven, kinds[2]], [false, "other request"], text);
});

Deno.test("calibratePlan accepts a poll that sends the ids of all rows of a page", async () => {
  const { calibration, kinds } = await calibrateModel({
    create(seed) {
      let count = 1_000 * seed;
      return ({ method }) =>
        method === "GET"
          ? { json: { mine: `post-${++count}`, other: `post-${++count}` } }
          : { json: { ok: true } };
    },
    use(browser) {
      const { mine, other } = JSON.parse(browser.send("GET", "/posts").body);
      for (let i = 0; i < 3; i++) {
        browser.send("POST", "/check", { form: { "rows[0]": mine, "rows[1]": other } });
      }
    },
  }, {
    start: "all",
    edit: (plan) => JSON.parse(JSON.stringify(plan).replaceAll('.other"', '.mine"')) as Plan,
  });
  assertEquals([calibration.proven, ...kinds], [true, ...Array(4).fill("as recorded")]);
});

Deno.test("calibratePlan compares fields whose names contain a small id of the iteration", async () => {
  const { calibration, text } = await calibrateModel({
    create(seed) {
      let id = seed === 1 ? 0 : 4;
      const titles = new Map<string, string>();
      return ({ method, path, form }) => {
        const own = path.split("/")[2] ?? "";
        if (method === "GET") return { json: { title: titles.get(own) } };
        if (own === "") return { json: { doc_id: ++id, stored: true } };
        const title = form.get(`doc-${own}-title`);
        if (title === null) return { json: { success: false } };
        titles.set(own, title);
        return { json: { success: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/documents", { form: { file: "leaf.txt" } });
      browser.send("POST", "/documents/1", {
        form: { "doc-1-title": "Leaf", "doc-1-tags": "green" },
      });
      browser.send("GET", "/documents/1");
    },
  }, { start: "all" });
  assertEquals(calibration.calls.map(({ differences }) => differences), [[], [], []]);
  assertEquals([calibration.proven, text.includes("doc-${doc_id}-title")], [true, true], text);
});

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

/** Teas with an id and a time in minutes, of which the user changes one and deletes another. */
const TIMED_TEAS: Model = {
  create(seed) {
    let id = seed === 1 ? 0 : 5;
    const teas: { id: number; title: string; minutes: number }[] = [];
    return ({ method, path, body }) => {
      const at = teas.findIndex((tea) => path === `/teas/${tea.id}`);
      if (method === "POST") teas.push({ id: ++id, ...JSON.parse(body) });
      else if (method === "GET") return { json: { teas } };
      else if (at < 0) return { status: 404, json: { error: "no such tea" } };
      else if (method === "DELETE") teas.splice(at, 1);
      else Object.assign(teas[at], JSON.parse(body));
      return { json: { tea: method === "POST" ? teas.at(-1) : teas[at] } };
    };
  },
  use(browser) {
    browser.send("POST", "/teas", { json: { title: "Green tea", minutes: 3 } });
    browser.send("POST", "/teas", { json: { title: "Iced tea", minutes: 40 } });
    browser.send("GET", "/teas");
    browser.send("PUT", "/teas/1", { json: { minutes: 2 } });
    browser.send("DELETE", "/teas/2");
    browser.send("GET", "/teas");
  },
};

Deno.test("calibratePlan proves a plan that sends a number which equals the id of a row", async () => {
  const { calibration, text } = await calibrateModel(TIMED_TEAS);
  assertEquals([calibration.calls[3].differences, calibration.proven], [[], true]);
  assertEquals(/minutes: 2\b/.test(text), true, text);
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
    "`form topic` sends a value that the form of call 2 does not have",
  ]]);
});

/** A form with the id of the user, and a server that accepts any. */
const AUTHORS: Model = {
  create: (seed) => ({ method, path }) =>
    method === "POST"
      ? { status: 302, headers: { Location: "/teas" }, text: "" }
      : path === "/teas"
      ? { html: "<html><title>Teas</title><p>The tea is saved</p>" }
      : {
        html: `<html><title>New tea</title><form><input type=hidden name=author value="${
          seed === 1 ? 2 : 9
        }"><input name=title></form>`,
      },
  use(browser) {
    browser.send("GET", "/new");
    browser.send("POST", "/new", { form: { author: "2", title: "Green tea" } });
    browser.send("GET", "/teas");
  },
};

Deno.test("calibratePlan does not prove a plan that sends another id than the hidden field of the live form", async () => {
  const { calibration } = await calibrateModel(AUTHORS, {
    start: "all",
    edit: (plan) =>
      JSON.parse(JSON.stringify(plan).replace(/"author":"[^"]*"/, '"author":"4${vu}"')),
  });
  const { kind, differences } = calibration.calls[1];
  assertEquals([calibration.proven, kind, differences], [false, "other request", [
    "`form author` sends a value that the form of call 1 does not have",
  ]]);
  const { calibration: own, text } = await calibrateModel(AUTHORS, { start: "all" });
  assertEquals([own.proven, /author: \$\{/.test(text)], [true, true], text);
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

/**
 * A server that deletes the tea at a position of the list, by a link, and shows its name. `cell`
 * returns what the list shows of a tea.
 */
const teaShop = (cell: (tea: string, i: number) => string): Model => ({
  create() {
    const teas = ["Oolong"];
    return ({ path, query, form }) => {
      const name = form.get("name");
      let text = "The teas";
      if (path === "/remove") text = `${teas.splice(Number(query.get("row")), 1)[0]} is deleted`;
      else if (name !== null && teas.includes(name)) text = "A tea with this name exists already";
      else if (name !== null) text = `${teas[teas.push(name) - 1]} is saved`;
      const rows = teas.map((tea, i) =>
        `<tr><td>${cell(tea, i)}<td><a href="/remove?row=${i}">Drop</a></tr>`
      );
      return { html: `<html><title>Teas</title><p>${text}</p><table>${rows.join("")}</table>` };
    };
  },
  use(browser) {
    for (const name of ["Assam", "Mint"]) browser.send("POST", "/teas", { form: { name } });
    browser.send("GET", "/remove?row=2");
  },
});

Deno.test("calibratePlan does not prove a plan whose link deletes the tea of another iteration", async () => {
  const { calibration, kinds } = await calibrateModel(teaShop((_, i) => `${i}`));
  assertEquals([calibration.proven, calibration.exceptState, kinds[2]], [false, false, "state"]);
});

Deno.test("calibratePlan finds the link that deletes a tea by its name", async () => {
  const { calibration, text } = await calibrateModel(teaShop((tea) => tea));
  assertEquals(calibration.exceptState, true, text);
  assertStringIncludes(text, "row: Mint${unique}");
});

Deno.test("calibratePlan replaces a token that is the name of a field or of a parameter, and keeps other parameters", async () => {
  const { calibration, text } = await calibrateModel({
    create(seed) {
      const values = new Values(seed);
      const tokens = new Set<string>();
      return ({ method, path, query, form }) => {
        if (path === "/" && method === "GET") {
          const token = values.hex(32);
          tokens.add(token);
          const html = `<form action="/?view=teas&layout=edit" method="post">` +
            `<input name="kind"><input type="hidden" name="${token}" value="1"></form>` +
            `<a href="/logout?task=end&amp;${token}=1">Log out</a>`;
          return { html };
        }
        const names = (path === "/logout" ? query : form).keys();
        return { json: { ok: names.some((name) => tokens.has(name)) } };
      };
    },
    use(browser) {
      const token = /hidden" name="(\w+)"/.exec(browser.send("GET", "/").body)![1];
      const form = { kind: "Green", [token]: "1" };
      browser.send("POST", "/?view=teas&layout=edit", { form });
      browser.send("GET", `/logout?task=end&${token}=1`);
    },
  });
  assertEquals(calibration.proven, true, text);
});
