import { assertEquals, assertStringIncludes } from "@std/assert";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { GivenPlan } from "../../src/calibrate/given_plan.ts";
import { shiftedDates } from "../../src/calibrate/shifted_dates.ts";
import { uniqueTemplate } from "../../src/calibrate/make_unique.ts";
import { calibrateModel } from "../support/calibrated.ts";
import { type ModelResponse, Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

/**
 * A document store. PUT creates a document and responds with 201, or with the status `overwritten`
 * if the document already exists.
 */
function documents(overwritten: number): Model {
  return {
    create: () => {
      const stored = new Set<string>();
      return ({ method, path }) => {
        if (method !== "PUT") return { status: stored.has(path) ? 200 : 404, json: { ok: true } };
        const status = stored.has(path) ? overwritten : 201;
        stored.add(path);
        return status === 204 ? { status, text: "" } : { status, json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("PUT", "/files/notes.txt", { json: { text: "Tea at five" } });
      browser.send("GET", "/files/notes.txt");
    },
  };
}

for (const status of [200, 204, 412]) {
  Deno.test(`calibratePlan makes the URL that a request creates unique if the next response has status ${status}`, async () => {
    const { calibration, text } = await calibrateModel(documents(status));
    assertEquals(calibration.unique.map(({ template }) => template), ["notes${unique}.txt"]);
    assertEquals(text.match(/\/files\/notes\$\{unique\}\.txt/g)?.length, 2);
    assertEquals(calibration.proven, true);
  });
}

Deno.test("calibratePlan keeps the URL if the server always responds with status 201", async () => {
  const { calibration, text } = await calibrateModel(documents(201));
  assertEquals(text.includes("unique"), false);
  assertEquals(calibration.proven, true);
});

/** Pages with unique names. `taken` is the path to which a page with a taken name redirects. */
function namedPages(taken: (slug: string) => string): Model {
  return {
    create: () => {
      const pages = new Set<string>();
      return ({ method, path, form }) => {
        if (method === "POST") {
          const slug = form.get("title")!.toLowerCase().replace(/[^a-z0-9]+/g, "-");
          const location = pages.has(slug) ? taken(slug) : `/pages/${slug}`;
          pages.add(slug).add(location.slice("/pages/".length));
          return { status: 302, headers: { Location: location } };
        }
        const isPage = path === "/new" || pages.has(path.slice("/pages/".length));
        const html = '<form method="post" action="/pages"><input name="title"></form>';
        return isPage ? { html } : { status: 404, html: "missing" };
      };
    },
    use(browser) {
      browser.send("GET", "/new");
      const { location } = browser.send("POST", "/pages", { form: { title: "Loose leaf" } });
      browser.send("GET", location);
    },
  };
}

for (
  const [where, taken] of [
    ["back to the form", () => "/new"],
    ["to another name", (slug) => `/pages/${slug}-new`],
  ] satisfies [string, (slug: string) => string][]
) {
  Deno.test(`calibratePlan makes text unique if the server redirects ${where} when it is taken`, async () => {
    const { calibration } = await calibrateModel(namedPages(taken));
    assertEquals(calibration.unique.map(({ template }) => template), ["Loose leaf ${unique}"]);
    assertEquals(calibration.proven, true);
  });
}

Deno.test("calibratePlan makes text unique also in the name that a later request makes of it", async () => {
  const { calibration, text } = await calibrateModel({
    create: () => {
      const jobs = new Set<string>();
      return ({ method, path, form }) => {
        const [, , job] = path.split("/");
        const name = form.get("name") ?? form.get("new_name");
        if (method === "GET" || name === null) {
          return jobs.has(job) ? { html: `<h1>${job}</h1>` } : { status: 404, html: "No job" };
        }
        if (jobs.has(name)) return { status: 400, html: "<p>A job with the name exists</p>" };
        jobs.add(name);
        return { status: 302, headers: { Location: `/jobs/${name}` } };
      };
    },
    use(browser) {
      browser.send("POST", "/jobs", { form: { name: "tea-labels" } });
      browser.send("GET", "/jobs/tea-labels");
      browser.send("POST", "/jobs/tea-labels/rename", { form: { new_name: "tea-labels-old" } });
      browser.send("GET", "/jobs/tea-labels-old");
    },
  });
  assertEquals(text.includes("/jobs/tea-labels-${unique}-old"), true, text);
  assertEquals(calibration.proven, true);
});

/**
 * A list that all users share and whose names must be unique. The keys of the items differ in each
 * session. A user can open only the item that this user added.
 */
const SHARED_LIST: Model = {
  create(seed) {
    const values = new Values(seed);
    const names: string[] = [];
    return ({ method, path, form, cookies }) => {
      if (method === "POST") {
        const name = form.get("title")!;
        if (names.includes(name)) return { status: 409, text: "exists" };
        names.push(name);
        const prefix = values.hex(16);
        const text = names.map((name, i) => `'${name}' has the key ${prefix}${i};`).join("\n");
        return { text, cookies: [`added=${prefix}${names.length - 1}; Path=/`] };
      }
      const added = cookies.get("added");
      if (path === "/newest") return { json: { newest: added } };
      return path === `/open/${added}` ? { text: "open" } : { status: 404, text: "unknown" };
    };
  },
  use(browser) {
    browser.send("POST", "/items", { form: { title: "Sencha" } });
    const { newest } = JSON.parse(browser.send("GET", "/newest").body);
    browser.send("GET", `/open/${newest}`);
  },
};

Deno.test("calibratePlan removes an extractor that finds its value next to text that is now unique", async () => {
  const { calibration } = await calibrateModel(SHARED_LIST, {
    edit(plan) {
      const draft = new PlanDraft(new GivenPlan(plan));
      draft.editScenario(0, (request) => ({
        ...request,
        ...(request.method === "POST" && {
          extract: [{
            type: "boundary",
            name: "key",
            left: "'Sencha' has the key ",
            right: ";",
          }],
        }),
        url: request.url.replace(/(?<=^\/open\/).*/, "${key}"),
      }));
      return draft.toPlan();
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), ["Sencha${unique}"]);
  assertEquals(calibration.proven, true);
});

const REFUSALS: Readonly<Record<string, ModelResponse>> = {
  "a member": { status: 422, json: { errors: { slug: ["has already been taken"] } } },
  "a text": { status: 409, json: { message: "An article with this slug already exists" } },
  "a page": { status: 422, html: '<form><p class="error">Slug must be unique</p></form>' },
};

for (const [where, refusal] of Object.entries(REFUSALS)) {
  Deno.test(`calibratePlan makes only the fields unique that a refusal names (${where})`, async () => {
    const titles = new Set<string>();
    const { calibration } = await calibrateModel({
      create() {
        const slugs = new Set(["older"]);
        return ({ form }) => {
          titles.add(form.get("title")!);
          const slug = form.get("slug")!;
          if (slugs.has(slug)) return refusal;
          slugs.add(slug);
          return { status: 201, json: { id: 5, title: form.get("title"), slug } };
        };
      },
      use(browser) {
        browser.send("POST", "/articles", {
          form: { title: "Tea at five", slug: "tea-at-five", summary: "Green tea" },
        });
      },
    });
    assertEquals(calibration.unique.map(({ template }) => template), ["tea-at-five-${unique}"]);
    assertEquals([calibration.proven, [...titles]], [true, ["Tea at five"]]);
  });
}

Deno.test("calibratePlan makes text unique that is taken although an earlier write failed", async () => {
  const { calibration, kinds } = await calibrateModel({
    create(seed) {
      const members = new Set(["older@tea.example"]);
      return ({ path, form }) => {
        if (path === "/posts") {
          return seed === 1 ? { status: 201, json: { id: 7 } } : { status: 500 };
        }
        const email = form.get("email")!;
        const context =
          "Member already exists. Attempting to add member with existing email address";
        const errors = [{ message: "Validation error, cannot save member.", context }];
        if (members.has(email)) return { status: 422, json: { errors } };
        members.add(email);
        return { status: 201, json: { id: 8, email } };
      };
    },
    use(browser) {
      browser.send("GET", "/home");
      browser.send("POST", "/posts", { form: { title: "Green tea" } });
      for (const path of ["/a", "/b", "/c", "/d"]) browser.send("GET", path);
      browser.send("POST", "/members", { form: { name: "Grace", email: "grace@tea.example" } });
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), ["grace${unique}@tea.example"]);
  assertEquals([kinds[1], kinds.at(-1)], ["refused", "repaired"]);
});

Deno.test("calibratePlan takes the lack of an existing row for a consequence of a refused write", async () => {
  const { calibration, kinds } = await calibrateModel({
    create: (seed) => ({ path, form }) => {
      const isRecorded = seed === 1;
      if (path === "/home") return { json: { home: true } };
      if (path === "/orders") {
        return isRecorded
          ? { status: 201, json: { title: form.get("title") } }
          : { status: 409, json: { error: "Customer is locked" } };
      }
      return isRecorded
        ? { json: { note: form.get("note") } }
        : { status: 422, json: { error: "There is no existing order for this customer" } };
    },
    use(browser) {
      browser.send("GET", "/home");
      browser.send("POST", "/orders", { form: { title: "Green tea please" } });
      browser.send("POST", "/orders/confirm", { form: { note: "Thank you all" } });
    },
  });
  assertEquals([calibration.unique, kinds.slice(1)], [[], ["refused", "consequence"]]);
});

const SECOND_REFUSALS = {
  "a field": () => "User exists with same username",
  "a text": (username: string) => `${username} already exists`,
};

for (const [what, secondRefusal] of Object.entries(SECOND_REFUSALS)) {
  Deno.test(`calibratePlan also makes text unique that only a second refusal names (${what})`, async () => {
    const { calibration } = await calibrateModel({
      create() {
        const taken = new Set<string>();
        return ({ form }) => {
          const [email, username] = [form.get("email")!, form.get("username")!];
          const error = taken.has(email)
            ? "User exists with same email"
            : taken.has(username)
            ? secondRefusal(username)
            : undefined;
          if (error !== undefined) return { status: 409, json: { error } };
          taken.add(email).add(username);
          return { status: 201, json: { email, username } };
        };
      },
      use(browser) {
        browser.send("POST", "/users", {
          form: {
            email: "grace@tea.example",
            city: "Geneva",
            firstName: "Ada",
            country: "Switzerland",
            motto: "Tea at five",
            username: "grace",
          },
        });
      },
    });
    assertEquals(calibration.unique.map(({ template }) => template).sort(), [
      "grace${unique}",
      "grace${unique}@tea.example",
    ]);
    assertEquals(calibration.proven, true);
  });
}

Deno.test("calibratePlan makes text unique if the server shows the form again and says that the text exists", async () => {
  const groups = (names: Set<string>, text = "") => ({
    html: `<title>Groups</title><form action="/filter"><input name="filter"></form>${text}` +
      `<ul>${[...names].map((name) => `<li>${name}</li>`).join("")}</ul>`,
  });
  const { calibration } = await calibrateModel({
    create() {
      const names = new Set<string>();
      return ({ method, form }) => {
        if (method === "GET") return groups(names);
        const name = form.get("name")!;
        if (names.has(name)) {
          return {
            html: '<title>Group</title><form method="post"><input name="name"></form>' +
              "<p>This group already exists.</p>",
          };
        }
        names.add(name);
        return groups(names, "<p>Group added</p>");
      };
    },
    use(browser) {
      browser.send("POST", "/groups", { form: { name: "Kitchens" } });
      browser.send("GET", "/groups");
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), ["Kitchens${unique}"]);
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan first tries other text for the text that the refusal contains", async () => {
  const { calibration } = await calibrateModel({
    create() {
      const known = new Set<string>();
      return ({ body }) => {
        const { email } = JSON.parse(body);
        const error = `duplicate key (name, email): (${email}) already exists`;
        if (known.has(email)) return { json: { errors: [{ message: error }] } };
        known.add(email);
        return { json: { user: { email } } };
      };
    },
    use(browser) {
      browser.send("POST", "/users", {
        json: { operationName: "create", name: "Grace", email: "grace@example.test" },
      });
    },
  });
  assertEquals(calibration.unique.map(({ recorded }) => recorded), ["grace@example.test"]);
  const tried = calibration.explanation.filter((line) => line.includes("other text than"));
  assertEquals([calibration.proven, tried], [true, []]);
});

Deno.test("calibratePlan first makes the text unique that a refusal quotes, also in many calls", async () => {
  const people = ["grace", "hopper", "carl", "edith"];
  const { calibration } = await calibrateModel({
    create() {
      const stored = new Set<string>();
      return ({ body }) => {
        const { operationName, variables: { name, email } } = JSON.parse(body);
        if (operationName !== "create") return { status: 400, json: { errors: ["no operation"] } };
        if (!stored.has(email)) {
          stored.add(email);
          return { json: { data: { item: { name } } } };
        }
        const message = `duplicate key (email, name): Key (email)=(${email}) already exists`;
        return { json: { errors: [{ message, extensions: { exception: { name: "Unique" } } }] } };
      };
    },
    use(browser) {
      for (const name of people) {
        browser.send("POST", "/api", {
          json: {
            operationName: "create",
            variables: { name: `The ${name}`, email: `${name}@example.test` },
            query: "mutation create($email: String!) { item { name } }",
          },
        });
      }
    },
  });
  const made = calibration.unique.map(({ template }) => template);
  assertEquals(made, people.map((name) => `${name}\${unique}@example.test`));
  assertEquals([calibration.proven, calibration.rounds.at(-1)!.staggered], [true, undefined]);
});

Deno.test("calibratePlan tries other text without the text that the last round changed in vain", async () => {
  const { calibration } = await calibrateModel({
    create(seed) {
      const teas = new Set<string>();
      const queries = new Set<string>();
      const tokens = new Set<string>();
      return ({ method, body, form }) => {
        if (method === "GET") {
          const token = String(seed * 7_000_000 + teas.size * 1000 + tokens.size);
          tokens.add(token);
          return { html: `<form method="post"><input name="token" value="${token}"></form>` };
        }
        if (form.has("tea")) {
          if (!tokens.delete(form.get("token")!)) {
            return { status: 403, html: "<p>The form has expired.</p>" };
          }
          const isKnown = teas.has(form.get("tea")!);
          teas.add(form.get("tea")!);
          return isKnown
            ? { status: 409, json: { error: `${form.get("tea")} already exists` } }
            : { json: { saved: true } };
        }
        const { client_id, sql } = JSON.parse(body);
        if (queries.has(client_id)) {
          return {
            status: 500,
            json: { errors: [{ message: `Query '${sql}' failed: UNIQUE constraint` }] },
          };
        }
        queries.add(client_id);
        return sql === "select name from teas"
          ? { json: { query_id: queries.size, data: ["mint"] } }
          : { status: 422, json: { errors: [{ message: "syntax error" }] } };
      };
    },
    use(browser) {
      const { body } = browser.send("GET", "/teas");
      const token = /value="(\d+)"/.exec(body)![1];
      browser.send("POST", "/teas", { form: { token, tea: "Darjeeling" } });
      browser.send("POST", "/sql", {
        json: { client_id: "rJxyflSeqfq", sql: "select name from teas" },
      });
    },
  });
  assertEquals(calibration.unique.map(({ recorded }) => recorded), ["Darjeeling", "rJxyflSeqfq"]);
  assertEquals(calibration.proven, true);
});
for (const path of ["/wiki.php?act=edit&title=", "/wiki.php/edit/"]) {
  for (const isDeleted of [false, true]) {
    const what = `${isDeleted ? "deleted" : "new"} page`;
    Deno.test(`calibratePlan makes the name of a ${what} unique that only URLs contain: ${path}`, async () => {
      const { calibration, text } = await calibrateModel({
        create() {
          const pages = new Map<string, string>();
          return ({ method, path, query, form }) => {
            const title = query.get("title") ?? path.split("/").at(-1)!;
            const shown = title.replaceAll("_", " ");
            const edit = '<form><input name="words"></form>';
            if (method === "POST" && form.has("words")) {
              if (pages.has(title)) {
                return { html: `<title>Conflict</title><h1>${shown}</h1>${edit}` };
              }
              pages.set(title, form.get("words")!);
              return { status: 302, headers: { Location: `/wiki.php?act=show&title=${title}` } };
            }
            if (method === "POST") {
              return {
                html: `<title>${pages.delete(title) ? "Deleted" : "Lost"}: ${shown}</title>`,
              };
            }
            if (query.get("act") === "show") {
              return { html: `<title>${shown}</title><p>${pages.get(title)}</p>` };
            }
            return {
              html: `<title>${pages.has(title) ? "Edit" : "Create"} ${shown}</title>${edit}`,
            };
          };
        },
        use(browser) {
          browser.send("GET", "/wiki.php?act=show&title=Main");
          browser.send("GET", `${path}Green_tea`);
          const { location } = browser.send("POST", `${path}Green_tea`, {
            form: { words: "Eighty degrees" },
          });
          browser.send("GET", location);
          if (isDeleted) browser.send("POST", `${path}Green_tea`, { form: { remove: "yes" } });
        },
      });
      assertEquals(calibration.unique[0].template, "Green_tea_${unique}");
      assertEquals([calibration.proven, text.match(/url: .*Green_tea(?!_\$)/g)], [true, null]);
    });
  }
}

Deno.test("calibratePlan first tries other text in the fields that helped the last call", async () => {
  const paths = ["users", "suppliers", "staff"];
  const { calibration } = await calibrateModel({
    create() {
      const seen = new Set<string>();
      return ({ path, body }) => {
        const { name, mail } = JSON.parse(body);
        const keys = [path + name, path + mail];
        if (keys.some((key) => seen.has(key))) {
          return { status: 409, json: { error: "A record with this name already exists" } };
        }
        keys.forEach((key) => seen.add(key));
        return { status: 201, json: { ok: true } };
      };
    },
    use(browser) {
      for (const path of paths) {
        const json = { name: `Ada ${path}`, mail: `ada.${path}@tea.example`, note: "first class" };
        browser.send("POST", `/${path}`, { json });
      }
    },
  });
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan does not repeat trials of other text that failed", async () => {
  const { calibration } = await calibrateModel({
    create(seed) {
      const names = new Set<string>();
      return ({ path, form }) => {
        if (path === "/sum") {
          return { json: form.get("sum") === `sum${seed}` ? {} : { error: "bad" } };
        }
        const name = form.get("name")!;
        if (names.has(name)) return { json: { error: "The group already exists." } };
        names.add(name);
        return { json: {} };
      };
    },
    use(browser) {
      browser.send("POST", "/sum", {
        form: { sum: "sum1", kind: "leaves", note: "Eighty degrees" },
      });
      browser.send("POST", "/groups", { form: { name: "Kitchens" } });
    },
  });
  const tried = calibration.explanation.filter((line) => line.includes("no trial"));
  assertEquals(tried, []);
  assertEquals(calibration.unique.map(({ recorded }) => recorded), ["Kitchens"]);
});

Deno.test("calibratePlan makes a text unique in all requests or in none", async () => {
  const { calibration, text } = await calibrateModel({
    create() {
      const stored = new Set<string>();
      return ({ path, form }) => {
        const name = form.get("name")!;
        if (path === "/test") return { json: { exists: stored.has(name) } };
        if (path === "/add") {
          if (!/^[a-z]+$/.test(name)) return { status: 400, json: { error: "no such kind" } };
          stored.add(name);
          return { json: { added: true } };
        }
        if (!stored.has(name)) return { status: 404, json: { error: "unknown" } };
        if (stored.has("pot")) return { status: 409, json: { error: "conflict" } };
        stored.add("pot");
        return { json: { copied: true } };
      };
    },
    use(browser) {
      for (const path of ["/test", "/add", "/copy"]) {
        browser.send("POST", path, { form: { name: "kettle" } });
      }
    },
  });
  assertEquals([calibration.kept, text.includes("unique")], ["given", false]);
});

Deno.test("calibratePlan makes a text unique if the server fails at the second write of it", async () => {
  const kinds: Model = {
    create() {
      const names = new Set<string>();
      return ({ body }) => {
        const { name } = JSON.parse(body);
        if (names.has(name)) return { status: 500, html: "<html>Internal Server Error</html>" };
        names.add(name);
        return { json: { id: names.size, name } };
      };
    },
    use(browser) {
      browser.send("POST", "/kinds", { json: { name: "White tea", order: "first" } });
    },
  };
  const { calibration } = await calibrateModel(kinds);
  assertEquals(calibration.unique.map(({ recorded }) => recorded), ["White tea"]);
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan makes no text unique if the server always fails at a write", async () => {
  const broken: Model = {
    create: (seed) => () =>
      seed === 1 ? { json: { id: 1 } } : { status: 500, html: "<html>Error</html>" },
    use(browser) {
      browser.send("POST", "/kinds", { json: { name: "White tea" } });
    },
  };
  const { calibration: { explanation, proven } } = await calibrateModel(broken);
  assertEquals([proven, explanation.filter((line) => line.includes("other text"))], [false, []]);
});

/** What a refusal of a profile says, and the fields that then become unique. */
const PROFILES: readonly (readonly [error: string, fields: string])[] = [
  ["The user already exists", "grace${unique}"],
  ["A user of this name already exists", "Grace${unique} Hopper${unique}"],
];

for (const [error, fields] of PROFILES) {
  Deno.test(`calibratePlan makes only ${fields} unique if the server says: ${error}`, async () => {
    const isNames = error.includes("name");
    const { calibration } = await calibrateModel({
      create() {
        const taken = new Set<string>();
        return ({ body }) => {
          const { id, name, lastName } = JSON.parse(body);
          const own: string[] = isNames ? [name, lastName] : [id];
          if (own.some((one) => taken.has(one))) return { status: 409, json: { error } };
          for (const one of own) taken.add(one);
          return { status: 201, json: { ok: true } };
        };
      },
      use(browser) {
        const profile = { name: "Grace", lastName: "Hopper", city: "Geneva", motto: "Tea" };
        browser.send("POST", "/users", { json: { ...profile, id: "grace" } });
      },
    });
    assertEquals(calibration.unique.map(({ template }) => template).join(" "), fields);
    assertEquals(calibration.proven, true);
  });
}

/** Requests for a table after its creation, and whether they still name the recorded table. */
const NAMED: readonly (readonly [url: string, query: string, isNamed: boolean])[] = [
  ["/query", "delete from `kettles` limit 1", true],
  ["/export/kettles.sql", "all", true],
  ["/query", "spoons and kettles of steel", false],
  ["/query", "https://kettles.example/", false],
];

for (const [url, query, isNamed] of NAMED) {
  const what = isNamed ? "does not prove" : "proves";
  Deno.test(`calibratePlan ${what} a plan with a new name of a table that sends ${query} to ${url}`, async () => {
    const { calibration, kinds } = await calibrateModel({
      create() {
        const tables = new Set<string>();
        return ({ path, form }) => {
          if (path !== "/tables") return { json: { done: tables.has("kettles") } };
          const table = form.get("table")!;
          if (tables.has(table)) {
            return { status: 409, json: { error: "the table exists already" } };
          }
          tables.add(table);
          return { status: 201, json: { created: true } };
        };
      },
      use(browser) {
        const site = "https://kettles.example/";
        browser.send("POST", "/tables", { form: { table: "kettles", site } });
        browser.send("POST", url, { json: { query } });
      },
    });
    const { unique, proven, calls } = calibration;
    assertEquals(unique.map(({ template }) => template), ["kettles${unique}"]);
    assertEquals([proven, kinds[1]], [!isNamed, isNamed ? "not shown" : "as recorded"]);
    const named = 'it sends "kettles", but call 1 now sends "kettles${unique}"';
    assertEquals(calls[1].differences, isNamed ? [named] : []);
  });
}

for (const kind of ["json", "page"] as const) {
  Deno.test(`calibratePlan does not prove a plan that shows the object of the first round (${kind})`, async () => {
    const { calibration, kinds } = await calibrateModel({
      create() {
        const forums: string[] = [];
        return ({ method, path, form }) => {
          const name = form.get("name") ?? forums[Number(path.split("/")[2])];
          if (method === "GET") {
            return kind === "json" ? { json: { name } } : { html: `<h1>${name}</h1><p>Forum</p>` };
          }
          if (forums.includes(name)) {
            return { status: 409, json: { error: "this name exists already" } };
          }
          forums.push(name);
          return { status: 201, json: { created: true } };
        };
      },
      use(browser) {
        browser.send("POST", "/forums", { form: { name: "Hot drinks" } });
        browser.send("GET", "/forums/0");
      },
    });
    assertEquals([calibration.proven, kinds[1]], [false, "not shown"]);
    assertEquals(calibration.calls[1].differences, [
      'it shows "Hot drinks", but call 1 now sends "Hot drinks ${unique}"',
    ]);
  });
}

Deno.test("calibratePlan makes text unique if the server responds to a repetition with an empty page", async () => {
  const { calibration } = await calibrateModel({
    create() {
      const captions: string[] = [];
      return ({ method, form }) => {
        if (method !== "POST") return { json: { captions: captions.length > 0 } };
        const caption = form.get("caption") ?? "";
        if (form.get("method") !== "add" || captions.includes(caption)) return { html: "" };
        captions.push(caption);
        return { html: `Created label <b>${caption}</b>` };
      };
    },
    use(browser) {
      for (const caption of ["Loud", "Quiet"]) {
        const form = { op: "pref-labels", method: "add", caption };
        browser.send("POST", "/backend.php", { form });
        browser.send("GET", "/backend.php?op=pref-labels&method=gettree");
      }
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), [
    "Loud${unique}",
    "Quiet${unique}",
  ]);
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan makes text unique that a refusal quotes although the token of the form is valid only once", async () => {
  const { calibration } = await calibrateModel({
    create(seed) {
      const values = new Values(seed);
      const names: string[] = [];
      const open = new Set<string>();
      return ({ method, path, form }) => {
        if (method === "GET") {
          const token = values.hex(32);
          open.add(token);
          const list = names.map((name) => `<li>${name}</li>`).join("");
          return path === "/list"
            ? { html: `<title>Keywords</title><ul>${list}</ul>` }
            : { html: `<title>New</title><form><input name="token" value="${token}"></form>` };
        }
        const refuse = (text: string) => ({
          html: `<title>New</title><p class="error">${text}</p>`,
        });
        if (!open.delete(form.get("token")!)) return refuse("Invalid token");
        const name = form.get("name")!;
        if (names.includes(name)) return refuse(`Error: node with key "${name}" exists`);
        names.push(name);
        return { status: 302, headers: { Location: "/list" } };
      };
    },
    use(browser) {
      for (const name of ["Kettles", "Spoons"]) {
        const token = /value="(\w+)"/.exec(browser.send("GET", "/form").body)![1];
        browser.send("POST", "/keyword", { form: { token, name } });
        browser.send("GET", "/list");
      }
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), [
    "Kettles${unique}",
    "Spoons${unique}",
  ]);
  assertEquals(calibration.proven, true);
});

/** A calendar that refuses events on days that have passed, and lists those of a week. */
const CALENDAR: Model = {
  create(seed) {
    const today = new Date(seed === 1 ? RECORDED_AT : Date.now()).toISOString().slice(0, 10);
    const events: { title: string; day: string }[] = [];
    return ({ method, query, form }) => {
      if (method === "POST") {
        const [title, day] = [form.get("title")!, form.get("start")!.slice(0, 10)];
        if (day < today) return { status: 400, json: { error: "the event is in the past" } };
        events.push({ title, day });
        return { json: { title, start: form.get("start") } };
      }
      const [from, to] = [query.get("from")!, query.get("to")!];
      return { json: events.filter(({ day }) => day >= from && day < to) };
    };
  },
  use(browser) {
    browser.send("POST", "/events", { form: { title: "Tea", start: "2026-01-02T16:00" } });
    browser.send("POST", "/events", { form: { title: "Cake", start: "2026-01-04T16:00" } });
    browser.send("GET", "/events?from=2025-12-29&to=2026-01-05");
  },
};
const RECORDED_AT = Date.UTC(2026, 0, 2);

Deno.test("calibratePlan sends dates relative to the day of the run if the server refuses those that have passed", async () => {
  const { calibration, text } = await calibrateModel(CALENDAR);
  assertEquals(calibration.proven, true);
  assertEquals(calibration.unique.map(({ expression }) => expression), [
    '${date("yyyy-MM-dd")}',
    '${date("yyyy-MM-dd", "2d")}',
    '${date("yyyy-MM-dd", "-4d")}',
    '${date("yyyy-MM-dd", "3d")}',
  ]);
  assertEquals(text.includes("2026-01"), false);
});

for (
  const [what, sent, expected] of [
    ["of today", "2026-03-10", ['${date("yyyy-MM-dd")}']],
    ["in another order", "11.03.2026 and 25/03/2026", [
      '${date("dd.MM.yyyy", "1d")}',
      '${date("dd/MM/yyyy", "15d")}',
    ]],
    ["of which month and day are not clear", "04/05/2026", []],
    ["that had passed at the recording", "2026-03-09", []],
    ["that have not passed yet", "2026-04-09", []],
    ["with dates before them in the plan", "2026-03-10 to 2026-03-01", [
      '${date("yyyy-MM-dd")}',
      '${date("yyyy-MM-dd", "-9d")}',
    ]],
    ["that are no dates", "2026-03-32, 2026-13-11, 20/03/2025, 12026-03-10, ORD-2026-03-11-7", []],
    ["far away", "1990-03-10 and 2026-03-10", ['${date("yyyy-MM-dd")}']],
  ] as const
) {
  Deno.test(`shiftedDates makes dates ${what} relative: ${expected.length}`, () => {
    const dates = shiftedDates(new Map([[0, { url: "/", body: sent }]]), 0, {
      recordedAt: Date.UTC(2026, 2, 10, 12),
      now: Date.UTC(2026, 3, 9),
      later: 0,
      isFixed: () => false,
    });
    assertEquals(dates.map(uniqueTemplate), expected);
  });
}

Deno.test("calibratePlan moves a date to the next day if that of today is refused", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { calibration } = await calibrateModel({
    create: (seed) => ({ method, form }) => {
      if (method !== "POST") return { html: "<p>Events</p>" };
      return seed === 1 || form.get("day")! > today
        ? { status: 303, headers: { Location: "/events" } }
        : { status: 400, html: "<p class=error>The date must lie in the future</p>" };
    },
    use(browser) {
      browser.send("POST", "/events", { form: { day: "2026-01-02", kind: "7" } });
      browser.send("GET", "/events");
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), ['${date("yyyy-MM-dd", "1d")}']);
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan does not make text unique in routes and names of parameters", async () => {
  const { calibration, text } = await calibrateModel({
    create() {
      const names = new Set<string>();
      return ({ method, path, form }) => {
        if (method === "GET") {
          return path === "/shopping-list-items?shopping-list=5"
            ? { json: { items: [] } }
            : { status: 404, text: "" };
        }
        const name = form.get("name")!;
        if (names.has(name)) return { status: 409, json: { error: "name already exists" } };
        names.add(name);
        return { status: 201, json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/lists", { form: { name: "shopping-list" } });
      browser.send("GET", "/shopping-list-items?shopping-list=5");
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), ["shopping-list-${unique}"]);
  assertStringIncludes(text, "/shopping-list-items?shopping-list=5");
});

Deno.test("calibratePlan does not change the name of a user whose login is refused", async () => {
  const { calibration, sent } = await calibrateModel({
    create: (seed) => ({ method }) => {
      if (method === "GET") return { html: "<p>Home</p>" };
      return { status: 302, headers: { Location: seed === 1 ? "/home" : "/login?error=1" } };
    },
    use(browser) {
      browser.send("POST", "/login", { form: { username: "ada.lovelace", password: "tea" } });
      browser.send("GET", "/home");
    },
  });
  assertEquals(calibration.proven, false);
  const bodies = sent.filter(({ method }) => method === "POST").map(({ body }) => body);
  assertEquals(new Set(bodies).size, 1);
});
