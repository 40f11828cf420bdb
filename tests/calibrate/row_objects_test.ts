import { assertEquals } from "@std/assert";
import { mayBeMovedRow } from "../../src/calibrate/row_objects.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import type { ModelResponse } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";

const MINE = { id: 40517, owner: 71, state: "open" };
const LIVE = { id: 81234, owner: 92, state: "open" };
const OTHER = { id: 5, owner: 6, state: "shut" };

const ROWS: Record<string, [path: string, recorded: unknown, live: unknown, other: boolean]> = {
  "a list of one row": ["$.items[0].id", { items: [MINE] }, { items: [LIVE] }, false],
  "a row before another user's": ["$[0].id", [MINE], [LIVE, OTHER], false],
  "a row after another user's": ["$[0].id", [MINE], [OTHER, LIVE], true],
  "a last row after another user's": ["$[-1].id", [MINE], [OTHER, LIVE], false],
  "rows without other contents": ["$[0].id", [{ id: 1 }], [{ id: 2 }, { id: 3 }], true],
  "a row at another position of a list with as many rows": [
    "$[0].id",
    [{ id: 1, name: "Mine" }, { id: 2, name: "Yours" }],
    [{ id: 3, name: "Yours" }, { id: 4, name: "Mine" }],
    true,
  ],
  "a row by its text": ["$[?@.state=='open'].id", [MINE], [OTHER, LIVE], false],
  "a part of a row": [
    "$.edges[0].node.id",
    { edges: [{ node: MINE }] },
    { edges: [{ node: OTHER }, { node: LIVE }] },
    true,
  ],
};

for (const [name, [path, recorded, live, isOther]] of Object.entries(ROWS)) {
  Deno.test(`mayBeMovedRow reports ${isOther} for ${name}`, () => {
    const known = new KnownPairs();
    known.add("71", "92");
    assertEquals(mayBeMovedRow(path, recorded, live, known), isOther);
  });
}

/** Formats teas as a page contains them. */
type ListTeas = (teas: readonly { readonly id: number; readonly name: string }[]) => string;

const LISTS: Record<string, ListTeas> = {
  "JSON in a script": (teas) => `<script>window.state = {"teas": ${JSON.stringify(teas)}}</script>`,
  "a form for each row": (teas) =>
    teas.map(({ id, name }) =>
      `<form><input name="id" value="${id}"><input name="name" value="${name}"></form>`
    ).join("\n"),
};

/** A shared list of teas. All writes get the same response. */
const sharedTeas = (list: ListTeas, changed: string[]): Model => ({
  create(seed) {
    const teas = [{ id: 8 * seed, name: "House blend" }];
    return ({ method, path, form }) => {
      if (method === "GET") return { html: `<html><title>Teas</title>${list(teas)}</html>` };
      if (path === "/add") teas.push({ id: teas[0].id + teas.length, name: form.get("name")! });
      else {changed.push(`${
          teas.find(({ id }) => `${id}` === form.get("id"))?.name
        } by ${form.get("note")}`);}
      return { status: 302, headers: { Location: "/" } };
    };
  },
  use(browser) {
    for (const name of ["Sencha brook", "Assam brook"]) {
      browser.send("POST", "/add", { form: { name } });
    }
    browser.send("GET", "/");
    browser.send("POST", "/note", { form: { id: "10", note: "Assam" } });
    browser.send("GET", "/");
    browser.send("POST", "/note", { form: { id: "9", note: "Sencha" } });
  },
});

for (const [what, list] of Object.entries(LISTS)) {
  for (const start of STARTS) {
    Deno.test(`calibratePlan finds a row by the text that the user typed in ${what}: ${start}`, async () => {
      const changed: string[] = [];
      const { calibration, text } = await calibrateModel(sharedTeas(list, changed), { start });
      assertEquals(calibration.proven, true, text);
      const proof = changed.slice(-8).map((one) => one.replace(/ brook.* by/, " by"));
      assertEquals(new Set(proof), new Set(["Assam by Assam", "Sencha by Sencha"]), text);
      assertEquals(new Set(changed.slice(-8)).size, 8, text);
    });
  }
}

Deno.test("calibratePlan does not prove a plan that changes another user's row of a page", async () => {
  const { calibration, kinds, text } = await calibrateModel(
    sharedTeas(LISTS["a form for each row"], []),
    {
      edit(plan) {
        const flow = structuredClone(plan.scenarios.recorded.flow);
        flow[2].request!.extract = [{
          type: "css",
          name: "tea",
          expression: 'input[name="id"]',
          attribute: "value",
          index: 2,
        }];
        flow[3].request!.body = { form: { id: "${tea}", note: "Assam" } };
        return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } } as Plan;
      },
    },
  );
  assertEquals([calibration.proven, kinds[3]], [false, "other request"], text);
});

const NEWEST: Record<string, (teas: readonly number[]) => ModelResponse> = {
  "a page": (teas) => ({
    html: `<html><title>Teas</title>${
      teas.map((id) => `<p><a href="/teas/${id}">Green, 50g</a></p>`).join("\n")
    }</html>`,
  }),
  "JSON": (teas) => ({ json: teas.map((id) => ({ id, label: "Green, 50g" })) }),
};

for (const [what, list] of Object.entries(NEWEST)) {
  Deno.test(`calibratePlan does not prove a plan whose users change the newest row of ${what}`, async () => {
    const { calibration, text } = await calibrateModel({
      create(seed) {
        const teas: number[] = [];
        return ({ method, path }) => {
          if (path === "/teas" && method === "GET") return list(teas);
          if (path === "/teas") teas.unshift(40 * seed + teas.length);
          else if (!teas.includes(Number(path.split("/")[2]))) return { status: 404 };
          return { status: 302, headers: { Location: "/teas" } };
        };
      },
      use(browser) {
        browser.send("GET", "/teas");
        browser.send("POST", "/teas", { form: { kind: "Green", weight: "50" } });
        browser.send("GET", "/teas");
        browser.send("POST", "/teas/40/pour", { form: { cups: "2" } });
      },
    }, { start: "all" });
    const { calls: [, , , pour], proven } = calibration;
    assertEquals([proven, pour.kind], [false, "other request"], text);
    assertEquals(pour.differences, ["`path segment 2` is that of another user, who sends it, too"]);
  });
}

for (
  const [what, field, id, query, detail] of [
    ["and whose field names another resource", "customer_id", 41, "Hugo", false],
    ["of one digit for a person", "assignee_id", 3, "Hugo", false],
    ["among several people", "assignee_id", 41, "Hug", false],
    ["and whose page the user opened", "badge_id", 41, "Hugo", true],
  ] as const
) {
  Deno.test(`calibratePlan takes a short id that a search found ${what}`, async () => {
    const tickets: unknown[] = [];
    const { calibration, text } = await calibrateModel({
      create(seed) {
        const people = ["Hugo", "Hughes"].map((name, i) => ({
          id: 80 * (seed - 1) + id + i,
          name,
        }));
        return ({ method, path, query, body }) => {
          if (path === "/tickets" && method === "POST") {
            tickets.push(JSON.parse(body)[field]);
            return { status: 201, json: { ok: true } };
          }
          if (path === "/people") {
            return { json: people.filter(({ name }) => name.includes(query.get("query")!)) };
          }
          return { json: people.find((person) => path === `/people/${person.id}`) ?? {} };
        };
      },
      use(browser) {
        browser.send("GET", `/people?query=${query}`);
        if (detail) browser.send("GET", `/people/${id}`);
        browser.send("POST", "/tickets", { json: { [field]: id, title: "Kettle leaks" } });
      },
    });
    assertEquals(calibration.proven, true, text);
    assertEquals([...new Set(tickets)], [id, id + 80]);
  });
}

Deno.test("calibratePlan makes no choice unique that a row joins with a title", async () => {
  const { calibration, plan, text } = await calibrateModel({
    create(seed) {
      const tickets = [{ id: 40 * seed, label: "Cups (Done)" }];
      return ({ method, path, body }) => {
        if (method === "GET") return { json: { tickets } };
        if (method === "DELETE") {
          const at = tickets.findIndex(({ id }) => path === `/tickets/${id}`);
          return at < 0 ? { status: 404 } : (tickets.splice(at, 1), { status: 204 });
        }
        const { title, status } = JSON.parse(body);
        const id = 40 * seed + tickets.length;
        if (path === "/tickets") tickets.push({ id, label: `${title} (${status})` });
        return { status: 204 };
      };
    },
    use(browser) {
      browser.send("POST", "/tickets", { json: { title: "Kettle", status: "Open" } });
      browser.send("POST", "/filter", { json: { status: "Open" } });
      browser.send("GET", "/tickets");
      browser.send("DELETE", "/tickets/41");
    },
  }, { start: "all" });
  const [{ request }] = plan.scenarios.recorded.flow;
  assertEquals(request?.body, { json: { title: "Kettle${unique}", status: "Open" } }, text);
  assertEquals(calibration.kept, undefined);
});

for (
  const [what, form, paths] of [
    ["one digit", { category_id: 2 }, ["/people?query=Hugo"]],
    ["the text of the row in another field", { group_id: 42, customer: "Hugo" }, [
      "/people?query=Hugo",
    ]],
    ["the row of another response", { shipping_id: 42 }, ["/priorities", "/people?query=Hugo"]],
    ["a priority", { priority_id: 42 }, ["/people?query=Hugo"]],
    ["a search with several results", { group_id: 42 }, ["/people?query=Hug"]],
  ] as const
) {
  Deno.test(`calibratePlan keeps a short id of a form that a search has, too: ${what}`, async () => {
    const [id] = Object.values(form) as number[];
    const { plan, text } = await calibrateModel({
      create(seed) {
        return ({ path, query }) => {
          if (path === "/tickets") return { status: 201, json: { ok: true } };
          if (path === "/priorities") return { json: [{ id, name: "High" }] };
          const people = ["Hugo", "Hughes"].map((name, i) => ({
            id: (seed - 1) * 80 + id + i,
            name,
          }));
          return { json: people.filter(({ name }) => name.includes(query.get("query")!)) };
        };
      },
      use(browser) {
        for (const path of paths) browser.send("GET", path);
        browser.send("POST", "/tickets", { json: { ...form, title: "Kettle leaks" } });
      },
    });
    const body = { json: { ...form, title: "Kettle leaks" } };
    assertEquals(plan.scenarios.recorded.flow.at(-1)?.request?.body, body, text);
  });
}

Deno.test("calibratePlan makes a text unique that a row joins with others, and finds the row by it", async () => {
  const { calibration, plan, text } = await calibrateModel({
    create(seed) {
      const people = [{ id: 40 * seed, name: "Alan Kay" }];
      return ({ method, path, query, body }) => {
        if (method === "DELETE") {
          const at = people.findIndex(({ id }) => path.endsWith(`/${id}`));
          return at < 0 ? { status: 404 } : (people.splice(at, 1), { status: 204 });
        }
        if (method === "GET") {
          const found = people.filter(({ name }) => name.includes(query.get("find") ?? ""));
          return { json: found.slice(-9) };
        }
        const { first, last } = JSON.parse(body);
        people.splice(-1, 0, { id: 40 * seed + people.length, name: `${first} ${last}` });
        return { status: 204 };
      };
    },
    use(browser) {
      browser.send("POST", "/people", { json: { first: "Ada", last: "Byron" } });
      browser.send("GET", "/people");
      browser.send("GET", "/people?find=Byron");
      browser.send("DELETE", "/people/41");
    },
  }, { start: "all" });
  assertEquals(calibration.proven, true, text);
  const [create, , search] = plan.scenarios.recorded.flow.map(({ request }) => request!);
  assertEquals(create.body, { json: { first: "Ada", last: "Byron${unique}" } });
  assertEquals([search.url, search.extract?.[0]], ["/people?find=Byron${unique}", {
    type: "jsonpath",
    name: "id",
    row: "Ada Byron${unique}",
    expression: "$[*].id",
  } as never]);
});

Deno.test("calibratePlan finds the row of an object by the id that the client made from its clock", async () => {
  const at = 1_767_312_000_000; // The time of the first recorded request.
  const { calibration, plan, text } = await calibrateModel({
    create(seed) {
      const docs = [{ id: "doc-1700000000000", rev: `aa${seed}c27be1` }];
      return ({ method, body }) => {
        if (method === "GET") return { json: { docs } };
        const { doc_id: id, rev } = JSON.parse(body);
        if (method === "PUT") return { status: docs.some((doc) => doc.rev === rev) ? 200 : 412 };
        if (docs.some((doc) => doc.id === id)) {
          return { status: 409, json: { error: "doc_id exists" } };
        }
        docs.push({ id, rev: (seed * 7919 + docs.length * 104729).toString(16) + "fe0c" });
        return { status: 204 };
      };
    },
    use(browser) {
      const id = `doc-${at + 12}`;
      browser.send("POST", "/docs", { json: { doc_id: id } });
      const { docs } = JSON.parse(browser.send("GET", "/docs").body);
      const { rev } = docs.find((doc: { id: string }) => doc.id === id);
      browser.send("PUT", "/docs", { json: { rev } });
    },
  }, { start: "all" });
  assertEquals(calibration.proven, true, text);
  const [create] = plan.scenarios.recorded.flow;
  assertEquals(create.request?.body, { json: { doc_id: "doc-${unique}" } });
});

Deno.test("calibratePlan proves a plan that takes a constant from a row of a list", async () => {
  const { calibration, text } = await calibrateModel({
    create() {
      const teas = [1, 7, 1].map((id) => ({ kind: { id } }));
      return ({ method, body }) => {
        if (method === "GET") return { json: { teas } };
        const { kind_id } = JSON.parse(body);
        teas.push({ kind: { id: kind_id } });
        return { json: { ok: kind_id === 7 } };
      };
    },
    use(browser) {
      browser.send("GET", "/teas");
      browser.send("POST", "/teas", { json: { kind_id: 7 } });
    },
  }, {
    edit(plan) {
      const flow = structuredClone(plan.scenarios.recorded.flow);
      flow[0].request!.extract = [
        { type: "jsonpath", name: "kind_id", expression: "$.teas[1].kind.id" },
      ];
      flow[1].request!.body = { json: { kind_id: "${kind_id}" } };
      return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } } as Plan;
    },
  });
  assertEquals(calibration.proven, true, text);
});

Deno.test("calibratePlan does not prove a plan that deletes a recorded row of a table that the user typed", async () => {
  const { calibration, kinds, text } = await calibrateModel({
    create(seed) {
      const teas = new Map<number, string>();
      return ({ method, path, form }) => {
        if (method === "GET") {
          const rows = [...teas].map(([id, name]) =>
            `<tr><td>${name}</td><td><b onclick="ask(${id})">Drop</b></td></tr>`
          );
          return { html: `<html><title>Teas</title><table>${rows.join("")}</table>` };
        }
        const lines = path === "/import" ? form.get("csv")!.split("\n").slice(1) : [];
        for (const line of lines) teas.set(12 * seed + teas.size, line.split(",")[0]);
        return { status: 302, headers: { Location: "/" } };
      };
    },
    use(browser) {
      const csv = "name,price\nSencha long,4\nAssam long,5";
      browser.send("POST", "/import", { form: { csv } });
      browser.send("GET", "/");
      browser.send("POST", "/drop", { form: { item: "13" } });
    },
  });
  assertEquals([calibration.proven, kinds[2]], [false, "other request"], text);
});

Deno.test("calibratePlan accepts the id of a redirect although several rows show the title that the user typed", async () => {
  const { calibration, text } = await calibrateModel({
    create(seed) {
      const docs = new Map<string, string>();
      return ({ method, path, query, form }) => {
        const id = path.split("/")[2];
        if (path === "/new") {
          const next = `${seed}e9k${docs.size}zq4x`;
          docs.set(next, "");
          return { status: 302, headers: { Location: `/docs/${next}` } };
        }
        if (path === "/list") {
          const rows = [...docs].map(([id, title]) => `<tr><td data-id="${id}">${title}</td></tr>`);
          return { html: `<html><title>Docs</title><table>${rows.join("")}</table>` };
        }
        if (!docs.has(id) || (query.get("id") ?? id) !== id) return { status: 404 };
        if (method === "POST") docs.set(id, form.get("title")!);
        return { html: `<title>Doc</title><p>${docs.get(id)}</p>` };
      };
    },
    use(browser) {
      const { location } = browser.send("GET", "/new");
      const id = location.split("/")[2];
      browser.send("GET", location);
      browser.send("POST", location, { form: { title: "Brewing manual" } });
      browser.send("GET", "/list");
      browser.send("POST", `${location}?id=${id}`, { form: { title: "Brewing" } });
    },
  }, { start: "all" });
  assertEquals(calibration.proven, true, text);
});

const PICKS: Record<string, ListTeas> = {
  "a link": (teas) => teas.map(({ id, name }) => `<a href="/teas/${id}">${name}</a>`).join("\n"),
  "a radio button": (teas) =>
    teas.map(({ id, name }) =>
      `<div><input type="radio" name="tea" id="t${id}" value="${id}"><label for="t${id}">${name}</label></div>`
    ).join("\n"),
  "an option": (teas) =>
    `<form><select name="tea"><option value="">-</option>${
      teas.map(({ id, name }) => `<option value="${id}">${name}</option>`).join("")
    }</select></form>`,
};

for (const [what, list] of Object.entries(PICKS)) {
  Deno.test(`calibratePlan finds ${what} that the user picked by its name`, async () => {
    const picked: (string | undefined)[] = [];
    const { calibration, text } = await calibrateModel({
      create(seed) {
        const names = ["Sencha 100g", "Assam 50g", "Peony 50g"];
        const teas = (seed === 1 ? names : ["Oolong 50g", ...names.toReversed()])
          .map((name, i) => ({ id: 3 * seed + i, name }));
        return ({ method, path, form }) => {
          if (path === "/") return { html: `<html><title>Shop</title>${list(teas)}</html>` };
          const id = form.get("tea") ?? path.split("/")[2];
          const { name } = teas.find((tea) => `${tea.id}` === id) ?? {};
          if (method === "POST") picked.push(name);
          return name === undefined ? { status: 404 } : { html: `<title>${name}</title>` };
        };
      },
      use(browser) {
        browser.send("GET", "/");
        if (what === "a link") browser.send("GET", "/teas/4");
        browser.send("POST", "/cart", { form: { tea: "4", amount: "2" } });
      },
    });
    assertEquals(calibration.proven, true, text);
    assertEquals(new Set(picked.slice(-4)), new Set(["Assam 50g"]), text);
  });
}

Deno.test("calibratePlan makes a text unique if the response to its own write shows several rows with it", async () => {
  const poured: string[] = [];
  const { calibration, text } = await calibrateModel({
    create(seed) {
      const teas = new Map<number, string>();
      return ({ body }) => {
        const { method, name, params } = JSON.parse(body);
        if (method === "save") teas.set(3 * seed + teas.size, name);
        else if (teas.has(params[0])) poured.push(teas.get(params[0])!);
        const rows = [...teas].map(([id, name]) =>
          `<li key="tea-${id}">${name} <button wire:click="pour(${id})">Pour</button></li>`
        );
        return { json: { html: `<ul>${rows.join("")}</ul>` } };
      };
    },
    use(browser) {
      browser.send("POST", "/update", { json: { method: "save", name: "Green tea" } });
      browser.send("POST", "/update", { json: { method: "save", name: "Black tea" } });
      browser.send("POST", "/update", { json: { method: "pour", params: [4] } });
    },
  }, { start: "all" });
  assertEquals(calibration.proven, true, text);
  assertEquals(new Set(poured.slice(-4)).size, 4, text);
});

Deno.test("calibratePlan does not prove a plan that takes the first row of a growing list", async () => {
  const { calibration } = await calibrateModel({
    create() {
      const notes: string[] = [];
      return ({ method, path, form }) => {
        if (path !== "/notes") return { json: { ok: true } };
        if (method === "GET") {
          return { json: { notes: notes.map((title, i) => ({ id: i + 1, title })) } };
        }
        const title = form.get("title")!;
        if (notes.includes(title)) return { status: 409, json: { error: "title exists" } };
        notes.push(title);
        return { status: 201, json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/notes", { form: { title: "Green tea" } });
      browser.send("GET", "/notes");
      browser.send("POST", "/notes/1/pour", { form: { cups: "2" } });
    },
  }, {
    edit(plan) {
      const [create, list, pour] = plan.scenarios.recorded.flow;
      const extract = [{ type: "jsonpath", name: "id", expression: "$.notes[0].id" } as const];
      const flow = [
        create,
        { request: { ...list.request!, extract } },
        { request: { ...pour.request!, url: "/notes/${id}/pour" } },
      ];
      return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } };
    },
  });
  assertEquals(calibration.proven, false);
});
