import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";

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
