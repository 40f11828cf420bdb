import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { asText, isNumber } from "../../src/base/exact_number.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { GivenPlan } from "../../src/calibrate/given_plan.ts";
import { PairSelector } from "../../src/calibrate/learned_pairs.ts";
import { restoreLiteral } from "../../src/calibrate/literal_edit.ts";
import { ResponseSnapshot, snapshotRecorded } from "../../src/comparison/response_snapshot.ts";
import { type ValuePair, wholeText } from "../../src/comparison/compared_response.ts";
import { extractValue } from "../../src/correlation/try_extractor.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { Repairs } from "../../src/calibrate/repairs.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import type { RequestText } from "../../src/plan/request_texts.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { bare, calibrateModel, explainedTextOf } from "../support/calibrated.ts";
import { type CreateApp, ModelBrowser, Values } from "../support/model_app.ts";
import { CSRF_SHOP, JSON_API, type Model } from "../support/model_apps.ts";

/** A use of a variable in a plan, which a test replaces with the recorded literal. */
interface Use {
  readonly source: number;
  readonly variable: string;
  readonly consumer: number;
}

function uses(draft: PlanDraft): Use[] {
  return Array.from({ length: draft.requests.length }, (_, source) => source).flatMap((source) =>
    (draft.at(source).extract ?? []).flatMap(({ name }) =>
      draft.values.usesOf(source, name).consumers.map((consumer) => ({
        source,
        variable: name,
        consumer,
      }))
    )
  );
}

/**
 * Returns the plan with one use of a variable replaced with the recorded literal. Keeps all
 * extractors.
 */
function stale(plan: Plan, { exchanges }: Recording, { source, variable, consumer }: Use): Plan {
  const draft = new PlanDraft(new GivenPlan(plan));
  const exchange = exchanges.find((one) => one.index + 1 === draft.given.entryOf(source))!;
  const { name: _, ...extractor } = draft.at(source).extract!.find(({ name }) =>
    name === variable
  )!;
  if (extractor.type === "xpath") throw new Error("convert writes no XPath");
  const value = extractValue(extractor, snapshotRecorded(exchange.response, (text) => text));
  const edited = restoreLiteral(draft.at(consumer), variable, asText(value), isNumber(value));
  draft.restore(draft.save().map((one) => one === draft.at(consumer) ? edited : one));
  return draft.toPlan();
}

/**
 * Calibrates the plan of a model in which use number `at` of a variable, from 0, is replaced with
 * the recorded literal.
 */
async function calibrateStale(model: Model, at: number) {
  let correct: Plan | undefined;
  let use: Use | undefined;
  const result = await calibrateModel(model, {
    start: "all",
    edit: (plan, recording) => {
      correct = plan;
      use = uses(new PlanDraft(new GivenPlan(plan)))[at];
      return use === undefined ? plan : stale(plan, recording, use);
    },
  });
  return { ...result, correct: correct!, use };
}

/** An application that generates a new token for each response, and accepts each token once. */
const rotating: CreateApp = (seed) => {
  const values = new Values(seed);
  const valid = new Set<string>();
  return ({ method, headers }) => {
    if (method === "POST" && !valid.delete(headers.get("x-csrf-token") ?? "")) {
      return { status: 422, json: { success: false, error: "bad token" } };
    }
    const next_csrf = values.hex(16);
    valid.add(next_csrf);
    return { json: { success: true, next_csrf } };
  };
};

const ROTATING: Model = {
  create: rotating,
  use(browser) {
    let token = JSON.parse(browser.send("GET", "/start", {}).body).next_csrf;
    for (const path of ["/jobs", "/orders", "/bills"]) {
      const sent = browser.send("POST", path, {
        headers: { "X-CSRF-Token": token },
        json: { note: "May" },
      });
      token = JSON.parse(sent.body).next_csrf;
    }
  },
};

/** A user who gets two tokens, and sends the first one in the last request. */
const TWO_TOKENS: Model = {
  create: rotating,
  use(browser) {
    const start = () => JSON.parse(browser.send("GET", "/start", {}).body).next_csrf;
    const [first, second] = [start(), start()];
    browser.send("POST", "/jobs", { headers: { "X-CSRF-Token": second } });
    browser.send("POST", "/orders", { headers: { "X-CSRF-Token": first } });
  },
};

for (const [name, model] of Object.entries({ CSRF_SHOP, JSON_API, ROTATING })) {
  Deno.test(`calibratePlan replaces a stale literal of ${name} with the variable that already has its value`, async () => {
    for (let at = 0;; at++) {
      const { calibration, use, plan, correct, waits } = await calibrateStale(model, at);
      if (use === undefined) {
        assert(at > 0);
        break;
      }
      const about = JSON.stringify(use);
      assertEquals([about, calibration.proven], [about, true]);
      assertEquals([about, waits], [about, []]);
      assertEquals(calibration.removed, []);
      const [request, expected] = [plan, correct].map((one) =>
        new PlanDraft(new GivenPlan(one)).at(use.consumer)
      );
      assertEquals(JSON.stringify(request.headers), JSON.stringify(expected.headers), about);
      assertEquals(JSON.stringify(request.body), JSON.stringify(expected.body), about);
    }
  });
}

Deno.test("calibratePlan adds an extractor if a later call sets the variable to a different value", async () => {
  const { calibration, plan } = await calibrateModel(TWO_TOKENS, {
    start: "all",
    edit: (plan, recording) => {
      // Both tokens are extracted as `token`, and the last call sends the recorded first one.
      const draft = new PlanDraft(new GivenPlan(plan));
      const [use] = uses(draft);
      const other = new PlanDraft(new GivenPlan(stale(plan, recording, use)));
      other.editScenario(0, (request) => ({
        ...request,
        extract: request.extract?.map((extractor) => ({ ...extractor, name: "token" })),
        headers: request.headers && Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [
            name,
            typeof value !== "string" ? value : value.replace(/\$\{[^}]*\}/, "${token}"),
          ]),
        ),
      }));
      return other.toPlan();
    },
  });
  assertEquals(calibration.proven, true);
  const draft = new PlanDraft(new GivenPlan(plan));
  assertEquals(draft.at(3).headers?.["X-CSRF-Token"], "${next_csrf}");
  assertEquals(draft.at(2).headers?.["X-CSRF-Token"], "${token}");
});

for (
  const [what, gap, extracted] of [["had ended", 980, 1], ["was still arriving", -15, 0]] as const
) {
  Deno.test(`calibratePlan extracts ${extracted} values from a response that ${what} when the browser sent the value`, async () => {
    const { calibration } = await calibrateModel({
      create(seed) {
        const values = new Values(seed);
        return ({ method }) =>
          method === "GET" ? { json: { draft: values.hex(12) } } : { json: {} };
      },
      use(browser) {
        const { draft } = JSON.parse(browser.send("GET", "/draft").body);
        browser.send("PUT", "/notes/first", { json: { draft } });
      },
    }, { gap });
    assertEquals(calibration.extracted.length, extracted);
  });
}

Deno.test("calibratePlan keeps the text that the user typed if a response already shows it", async () => {
  const title = "The kettle whistles far too late";
  const { calibration } = await calibrateModel({
    create: (seed) => ({ method }) => ({
      json: method === "GET" ? { title: seed === 1 ? title : "The kettle whistles" } : {},
    }),
    use(browser) {
      browser.send("GET", "/posts/1");
      browser.send("PUT", "/posts/1", { json: { title } });
    },
  });
  assertEquals([calibration.proven, calibration.extracted], [true, []]);
});

Deno.test("calibratePlan does not take an offset from a number in a text that happens to be equal", async () => {
  const { calibration } = await calibrateModel({
    create: (seed) => ({ path }) =>
      path === "/admin/info"
        ? { json: { system: { uptime: `0 days, 0 hours, ${seed - 1} minutes, 45 seconds` } } }
        : { json: [] },
    use(browser) {
      browser.send("GET", "/admin/info");
      browser.send("GET", "/admin/groups?first=0&max=21");
      browser.send("POST", "/admin/done", { form: { at: "end" } });
    },
  });
  assertEquals([calibration.proven, calibration.extracted], [true, []]);
});

Deno.test("calibratePlan takes the field of a form from its own page, although earlier pages have the same value", async () => {
  const { calibration, text } = await calibrateModel({
    create() {
      const versions: Record<string, number> = {};
      return ({ method, path, query, form }) => {
        const version = versions[path] ?? 0;
        if (method === "GET") {
          const field = `<input type="hidden" name="version" value="${version}">`;
          return query.has("edit")
            ? { html: `<title>Edit</title><form method="post">${field}</form>` }
            : { status: version === 0 ? 404 : 200, html: "<title>Wiki</title>" };
        }
        if (form.get("version") !== `${version}`) return { status: 404, html: "<p>Error</p>" };
        if (form.has("delete")) delete versions[path];
        else versions[path] = version + 1;
        return { status: 303, headers: { Location: path } };
      };
    },
    use(browser) {
      for (const page of ["/wiki/Kettles", "/wiki/Spoons"]) {
        browser.send("GET", `${page}?edit=yes`);
        browser.send("POST", page, { form: { version: "0", text: `About ${page}` } });
        browser.send("GET", page);
      }
      browser.send("POST", "/wiki/Spoons", { form: { version: "1", delete: "yes" } });
    },
  });
  assertEquals(calibration.exceptState, true, text);
});

Deno.test("calibratePlan sends a flag as recorded although another flag of a page changes", async () => {
  const { text, calibration } = await calibrateModel({
    create() {
      const events: string[] = [];
      return ({ method, form }) => {
        if (method === "POST") {
          events.push(form.get("event-title")!);
          return { json: { title: events.at(-1) } };
        }
        const category = JSON.stringify({ id: 0, has_events: events.length > 0, title: "Home" });
        const value = category.replaceAll('"', "&quot;");
        return { json: { html: `<form>\n<input name="category" value="${value}"></form>` } };
      };
    },
    use(browser) {
      browser.send("GET", "/events/create");
      browser.send("POST", "/events", {
        form: {
          "event-title": "Tea at five",
          "event-create_booking": "false",
          "event-location": '{"address":"","inheriting":false,"venue":"Kitchen"}',
        },
      });
    },
  });
  assertEquals([calibration.extracted, calibration.proven], [[], true]);
  assertEquals(text.includes('inheriting\\":false'), true);
});

/**
 * Creates an application whose pages link to notes with a tag. The tag is `tea` in the recorded
 * application, and `help` in the live one. The user adds a note with `form`, and then searches for
 * the tag.
 */
const notes = (form: Record<string, string>): Model => ({
  create(seed) {
    const first = seed === 1 ? "tea" : "help";
    return ({ method, path, query }) => {
      if (method === "POST") return { status: 302, headers: { Location: "/" } };
      const title = path === "/search" ? `Notes: ${query.get("tag")}` : "Notes";
      return {
        html: `<html><head><title>${title}</title></head><a href="/feed?tag=${first}">a</a></html>`,
      };
    };
  },
  use(browser) {
    browser.send("POST", "/notes", { form });
    browser.send("GET", "/");
    browser.send("GET", "/search?tag=tea");
  },
});

for (const labels of ["tea", "green tea", "<b kind='tea'/>", '[{"kind": "tea"}]']) {
  Deno.test(`calibratePlan keeps a word that the user typed into an earlier field: ${labels}`, async () => {
    const { calibration, text } = await calibrateModel(notes({ labels }));
    assertEquals([calibration.proven, calibration.extracted], [true, []], text);
  });
}

Deno.test("calibratePlan forgets the value of a source that a failed trial took", async () => {
  const { calibration, text } = await calibrateModel({
    create: (seed) => ({ path, query }) => {
      const refs = ["mint-leaf-aqx", "mint-leaf-brz", "mint-leaf-cvw"];
      const at = (i: number) => refs[seed === 1 ? 0 : i];
      if (path === "/first") return { json: { ref: at(1), other: seed === 1 ? refs[1] : refs[0] } };
      if (path === "/second") {
        return { json: { ref: at(2), other: seed === 1 ? refs[2] : refs[0] } };
      }
      const ref = query.get("ref");
      return ref === at(2) ? { html: `<title>${ref}</title>` } : { status: 404 };
    },
    use(browser) {
      browser.send("GET", "/first");
      const { ref } = JSON.parse(browser.send("GET", "/second").body);
      browser.send("GET", `/teas?ref=${ref}`);
    },
  });
  assertEquals(calibration.proven, true, text);
});

Deno.test("calibratePlan replaces a number only in the object of the JSON body whose number it is", async () => {
  const { calibration, plan, text } = await calibrateModel({
    create(seed) {
      let id = 10 * seed;
      return ({ method, path, body }) => {
        if (method === "GET") return { json: { size: 10 } };
        if (path === "/cups") return { status: 201, json: { cup: { id: ++id } } };
        const { cup } = JSON.parse(body);
        return { status: cup.id === id ? 201 : 404, json: {} };
      };
    },
    use(browser) {
      browser.send("GET", "/settings");
      const { cup } = JSON.parse(browser.send("POST", "/cups", { json: { name: "Blue" } }).body);
      browser.send("POST", "/teas", { json: { cup: { id: cup.id }, shape: { id: 11 } } });
    },
  });
  assertEquals(calibration.exceptState, true, text);
  const { cup, shape } = (new PlanDraft(new GivenPlan(plan)).at(2).body as { json: never }).json;
  assertEquals([cup, asText((shape as { id: unknown }).id)], [{ id: "${id}" }, "11"]);
});

const snapshot = (text: string) =>
  new ResponseSnapshot({ status: 200, headers: [], mimeType: "text/html", text });

function pair(recorded: string, live: string, more: Partial<ValuePair> = {}): ValuePair {
  const place = { kind: "json", path: ["data", "id"], isNumber: false } as const;
  const at = wholeText(snapshot(""), recorded, "id", place);
  return { recorded, live, at, liveAt: at, name: "id", mayMove: false, ...more };
}

function learnable(
  pairs: readonly ValuePair[],
  options: { live?: string; sent?: readonly string[]; fromClient?: readonly string[] } = {},
) {
  const { live = "", sent, fromClient = [] } = options;
  const refused: string[] = [];
  const values: Partial<PlanDraft["values"]> = {
    isSentAfter: (_, { value }) => sent?.includes(value) ?? true,
    isSentBefore: (_, { value }) => fromClient.includes(value),
  };
  const draft = {
    given: { requestAt: () => undefined },
    values,
    explain: (_: unknown, text: string) =>
      void refused.push(text.replace(/^.* is not extracted: /, "")),
  } as unknown;
  const message = {} as Step;
  const selector = new PairSelector(
    { point: message, recorded: snapshot(""), live: snapshot(live) },
    draft as PlanDraft,
  );
  const found = selector.select(pairs);
  return { found, values: found.map(({ recorded }) => recorded), refused };
}

Deno.test("PairSelector.select keeps values that a later request sends and no earlier request sent", () => {
  const pairs = [pair("tok-one-1", "x"), pair("tok-two-2", "y"), pair("tok-three-3", "z")];
  const options = { sent: ["tok-one-1", "tok-two-2"], fromClient: ["tok-two-2"] };
  const { values, refused } = learnable(pairs, options);
  assertEquals([values, refused], [["tok-one-1"], [
    "a request sent the value before any response contained it",
  ]]);
});

Deno.test("PairSelector.select allows a date to be replaced only in fields with the same name", () => {
  const { found } = learnable([pair("2026-01-02", "2026-11-22", { name: "date" })]);
  const text = (name: string): RequestText => (
    { kind: "json", name, resource: "source", template: "2026-01-02", numeric: false }
  );
  const { agrees } = found[0].literal;
  assertEquals([agrees?.(text("date")), agrees?.(text("source"))], [true, false]);
});

Deno.test("PairSelector.select rejects a value that only moved to a different position", () => {
  const moved = pair("tok-one-1", "tok-two-2", { mayMove: true });
  assertEquals(learnable([moved], { live: "a tok-two-2 b tok-one-1" }).values, []);
  assertEquals(learnable([moved], { live: "a tok-two-2 b tok-one-12" }).values, ["tok-one-1"]);
});

Deno.test("PairSelector.select rejects values that changed places with each other", () => {
  const swapped = [pair("profile", "email"), pair("email", "profile")];
  assertEquals(learnable(swapped).values, []);
  const numbers = [pair("1042", "1043", { name: "a" }), pair("1043", "1042", { name: "b" })];
  assertEquals(learnable(numbers).values.sort(), ["1042", "1043"]);
});

Deno.test("PairSelector.select lists a URL after the values that it contains, but a token before its parts", () => {
  const url = [pair("/files/ab12cd/raw", "/files/ef34gh/raw"), pair("ab12cd", "ef34gh")];
  assertEquals(learnable(url).values, ["ab12cd", "/files/ab12cd/raw"]);
  const token = [
    pair("2|ab12cd|998877", "2|ef34gh|112233"),
    pair("ab12cd", "ef34gh"),
    pair("998877", "112233"),
  ];
  assertEquals(learnable(token).values[0], "2|ab12cd|998877");
});

Deno.test("PairSelector.select keeps the first of several live values for a recorded value", () => {
  const { found, refused } = learnable([pair("tok-one-1", "x1"), pair("tok-one-1", "y2")]);
  assertEquals([found[0].live, refused], ["x1", ["in another place, the live value is x1"]]);
});

/**
 * A webmail. The page to write a mail lists an address book, whose id is 2 in the recording. The
 * script that saves a draft contains its id, which is 2 only in the recording.
 */
const webmail = (book: (seed: number) => number): Model => ({
  create(seed) {
    let next = seed === 1 ? 2 : 41;
    const saved = new Set<string>();
    return ({ method, path, query }) => {
      if (path === "/compose") {
        return {
          html: "<html><title>Compose</title><a onclick=\"list('addresses','" + book(seed) +
            "')\">a</a>",
        };
      }
      if (method === "POST") {
        const id = String(next++);
        saved.add(id);
        return { html: `<html><title>Saved</title><script>set_draft_id("${id}");</script>` };
      }
      return saved.has(query.get("_uid")!)
        ? { html: `<html><title>Draft</title><p>Green tea</p>` }
        : { status: 200, html: "<html><title>Error</title><p>Server error!</p>" };
    };
  },
  use(browser) {
    browser.send("GET", "/compose");
    browser.send("POST", "/drafts", { form: { subject: "Green tea" } });
    browser.send("GET", "/preview?_uid=2");
    browser.send("GET", "/move?_uid=2");
  },
});

/** Takes the id of the draft from the list of address books. */
function fromAddresses(plan: Plan): Plan {
  const text = JSON.stringify(plan).replaceAll("_uid=2", "_uid=${book}");
  const changed = JSON.parse(text) as Plan;
  const [first] = changed.scenarios.recorded.flow;
  const extract = [{ type: "boundary", name: "book", left: "list('addresses','", right: "'" }];
  Object.assign(first.request!, { extract });
  return changed;
}

for (
  const [name, edit, book] of [
    ["a constant variable", fromAddresses, () => 2],
    ["a variable with another value", fromAddresses, (seed: number) => seed === 1 ? 2 : 9],
    ["a literal", (plan: Plan) => plan, () => 2],
  ] as const
) {
  Deno.test(`calibratePlan takes a value from another response if a call with ${name} fails`, async () => {
    const { calibration, text } = await calibrateModel(webmail(book), { edit });
    assertEquals([calibration.proven, calibration.calls.map(({ kind }) => kind)], [
      true,
      ["as recorded", "as recorded", "repaired", "repaired"],
    ], text);
    assertStringIncludes(text, "/preview?_uid=${");
    assertEquals(calibration.extracted.map(({ source, recorded }) => [source, recorded]), [[
      1,
      "2",
    ]]);
    assertEquals(text.includes("book"), false);
  });
}

/**
 * A list of persons. The response to a new person contains the number of its row, which counts the
 * rows of one session, and the id of the person. Both are 1 in the recording.
 */
const PERSONS: Model = {
  create(seed) {
    const first = seed === 1 ? 0 : 30;
    let [rows, id] = [seed === 1 ? 0 : 4, first];
    return ({ method, path }) => {
      if (method === "POST") return { json: { message: `Row ${++rows} added`, record_id: ++id } };
      const asked = Number(path.split("/").at(-1));
      const isKnown = asked > first && asked <= id;
      return isKnown ? { json: { name: "Ada" } } : { status: 404, json: { error: "no person" } };
    };
  },
  use(browser) {
    browser.send("POST", "/persons", { form: { name: "Ada" } });
    browser.send("GET", "/persons/1");
  },
};

Deno.test("calibratePlan takes a short id from another place if a variable with another value is wrong", async () => {
  const { calibration, text } = await calibrateModel(PERSONS, {
    edit(plan) {
      const changed = JSON.parse(JSON.stringify(plan).replace("/persons/1", "/persons/${row}"));
      const extract = [{ type: "boundary", name: "row", left: "Row ", right: " added" }];
      Object.assign(changed.scenarios.recorded.flow[0].request, { extract });
      return changed;
    },
  });
  assertEquals(calibration.proven, true, text);
  assertStringIncludes(text, "expression: $.record_id");
  assertStringIncludes(text, "/persons/${record_id}");
});

Deno.test("calibratePlan does not try another object as the target of a write, or in place of text that the user chose", async () => {
  const broker = (shown: string, works: boolean): Model => ({
    create: () => ({ method, path }) => {
      if (path === "/queues") return { json: { items: [{ name: shown, id: shown }] } };
      if (method === "PUT") return { status: 204, text: "" };
      const isKnown = works || path === `/queues/${shown}`;
      return isKnown ? { json: { ok: true } } : { status: 404, json: { error: "no queue" } };
    },
    use(browser) {
      browser.send("PUT", "/queues/teapots");
      browser.send("GET", "/queues");
      browser.send("GET", "/queues/teapots");
      browser.send("DELETE", "/queues/teapots");
      browser.send("POST", "/queues/teapots/purge", { form: { all: "yes" } });
    },
  });
  const { sent, calibration } = await calibrateModel(broker("teapots", true), {
    live: broker("kettles", false).create,
  });
  const others = sent.filter(({ path }) => path.includes("kettles"));
  assertEquals([calibration.proven, others], [false, []]);
});

/**
 * A server of reviews, which have two files each. The ids of reviews and files are numbers from 1.
 * The page of a review contains the ids of its files in a script. The first of them is also the
 * number of a draft by chance.
 */
const REVIEWS: Model = {
  create() {
    const reviews: (readonly number[])[] = [];
    return ({ method, path }) => {
      const [, , review, , , , file] = path.split("/");
      if (method === "POST") {
        const id = reviews.push([2 * reviews.length + 1, 2 * reviews.length + 2]);
        const [first] = reviews[id - 1];
        return { status: 201, json: { review: { id, change: 3 * id - 2 }, draft: { id: first } } };
      }
      const own = reviews[Number(review) - 1] ?? [];
      if (own.length === 0 || file !== undefined && !own.includes(Number(file))) {
        return { status: 404, html: "<h1>Not found</h1>" };
      }
      if (file !== undefined) return { html: "<pre>Two cups</pre>" };
      const files = own.map((id, index) => ({ base: null, file: { id, revision: 1 }, id, index }));
      const data = `{"revision": 1, "review": ${review}, "files": ${JSON.stringify(files)}}`;
      return { html: `<h1>Review</h1><script>show({ type: Diff, data: ${data} });</script>` };
    };
  },
  use(browser) {
    for (const [review, files] of [[1, [1, 2]], [2, [3]]] as const) {
      browser.send("POST", "/reviews", { form: { api: "json" } });
      browser.send("GET", `/reviews/${review}/diff/`);
      for (const file of files) {
        const headers = { Referer: `http://recorded.example:8080/reviews/${review}/diff/` };
        browser.send("GET", `/reviews/${review}/diff/1/fragment/${file}/`, { headers });
      }
    }
  },
};

Deno.test("calibratePlan tries the values that were not tried before those that were right in an earlier call", async () => {
  const { calibration, text } = await calibrateModel(REVIEWS, { start: "all" });
  assertEquals(calibration.proven, true, `${explainedTextOf(calibration)}\n${text}`);
  assertEquals(
    calibration.extracted.map(({ recorded, source }) => [recorded, source]),
    [["1", 1], ["2", 1], ["3", 5]],
  );
});

Deno.test("an edit that makes the plan invalid has no effect, and others of the same response stay", async () => {
  const browser = new ModelBrowser(() => ({ json: { cup: "c81d4fae7dec", tea: "t5b0e93ac21f" } }));
  browser.send("GET", "/start");
  browser.send("GET", "/cups/c81d4fae7dec");
  browser.send("GET", "/teas/t5b0e93ac21f");
  const recording = await browser.recording();
  const { plan } = convertHar(recording, { checks: "status" });
  const origin = "http://target.example:9090";
  const repairs = new Repairs(bare(plan, recording), recording, {
    recorded: origin,
    target: origin,
  });
  const { draft, extractions } = repairs;
  draft.isValid = () => draft.at(1).url === "/cups/c81d4fae7dec";
  const known = new KnownPairs();
  const set: string[] = [];
  const text = JSON.stringify({ cup: "a93e7f10bd46", tea: "9d02c6e8f71b" });
  const response = new ResponseSnapshot({
    status: 200,
    mimeType: "application/json",
    headers: [],
    text,
  });
  const live = { response, known, unique: "u1", set: (name: string) => set.push(name) };
  const load = { diverged: false, mayEdit: true };
  repairs.learn(0, live, [], () => undefined, load);
  assertEquals(extractions.repairs.map(({ recorded }) => recorded), ["t5b0e93ac21f"]);
  assertEquals(draft.requests.map(({ url }) => url), ["/start", draft.at(1).url, "/teas/${tea}"]);
  assertEquals(set, ["tea"]);
  assertEquals(known.liveOf("c81d4fae7dec"), undefined);
  draft.isValid = () => !JSON.stringify(draft.requests).includes("unique");
  const cups = { text: "cups", before: "cups", expression: { kind: "unique" }, after: "" } as const;
  repairs.unique.try(1, cups, "several rows contain the recorded text");
  assertEquals([repairs.unique.count, draft.at(1).url], [0, "/cups/c81d4fae7dec"]);
});
