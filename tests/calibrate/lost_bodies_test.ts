import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { RequestText } from "../../src/plan/request_texts.ts";
import type { Exchange, Recording } from "../../src/traffic/har/recording.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { type LostValue, restoreResponse } from "../../src/calibrate/lost_bodies.ts";
import { ResponseSnapshot } from "../../src/calibrate/response_snapshot.ts";
import { calibrateModel } from "../support/calibrated.ts";
import { type ModelResponse, Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

/** The first random id of the recorded application. */
const RECORDED_ID = new Values(1).hex(16);

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, true);

/**
 * A page that uploads a book, and then requests `path(id)`. The id is a number or, if `isRandom` is
 * true, hexadecimal. `respond` returns the response to the upload.
 */
function books(
  respond: (id: string) => ModelResponse,
  path = (id: string) => `/books/${id}`,
  isRandom = false,
): Model {
  const next = (seed: number) => {
    const values = new Values(seed);
    let last = 40 * seed;
    return () => isRandom ? values.hex(16) : String(last += 3);
  };
  const recorded = next(1)();
  return {
    create(seed) {
      const ids = new Set<string>();
      const create = next(seed);
      return ({ method, path, query }) => {
        if (method === "POST") {
          const id = create();
          ids.add(id);
          return respond(id);
        }
        const id = query.get("book_id") ?? path.split("/")[2];
        return ids.has(id) ? { json: { title: "Assam" } } : { status: 404, text: "no such book" };
      };
    },
    use(browser) {
      browser.send("POST", "/books", { json: { title: "Assam" } });
      browser.send("GET", path(recorded));
    },
  };
}

/** Removes the body of a response, as if the page had navigated away. */
function loseBody(plan: Plan, { exchanges }: Recording, index = 0): Plan {
  const { status, headers, mimeType, size } = exchanges[index].response;
  const response = { status, headers, mimeType, size, text: undefined };
  (exchanges as Exchange[])[index] = { ...exchanges[index], response };
  return plan;
}

for (
  const [what, model, url] of [
    ["a link in JSON", books((id) => ({ json: { next: `/books/${id}` } })), /^\/books\/\$\{\w+\}$/],
    [
      "a link in a page",
      books((id) => ({ html: `<html><body><a href="/books/${id}">Open</a></body></html>` })),
      /^\/books\/\$\{\w+\}$/,
    ],
    [
      "a member with the same name",
      books((id) => ({ json: { book_id: Number(id), copies: 4 } }), (id) => `/book?book_id=${id}`),
      /^\/book\?book_id=\$\{book_id\}$/,
    ],
    [
      "the id of a new object",
      books((id) => ({ json: { book: { id: Number(id) }, copies: 4 } })),
      /^\/books\/\$\{\w+\}$/,
    ],
    [
      "a member named like the segment before the id",
      books((id) => ({ json: { bookId: id, copies: 4 } })),
      /^\/books\/\$\{\w+\}$/,
    ],
    [
      "a random id in a link",
      books((id) => ({ json: { url: `http://target.example:9090/books/${id}` } }), undefined, true),
      /^\/books\/\$\{\w+\}$/,
    ],
  ] as const
) {
  Deno.test(`calibratePlan learns a value of a lost body from the live body: ${what}`, async () => {
    const { calibration, plan } = await calibrateModel(model, { edit: loseBody });
    const text = textOf(calibration);
    assert(calibration.proven, text);
    assertEquals(calibration.extracted.map(({ source, consumers }) => [source, consumers]), [
      [0, [1]],
    ]);
    assertMatch(plan.scenarios.recorded.flow[1].request!.url, url);
    assertStringIncludes(text, "the recorded body is missing; the live body contains ");
    assertStringIncludes(text, "; not compared: missing bodies");
  });
}

for (
  const [why, respond] of [
    ["two ids fit", (id: string) => ({ json: { id: Number(id), shelf: { id: 9 } } })],
    ["two links fit", (id: string) => ({ json: { a: `/books/${id}`, b: `/books/9${id}` } })],
    [
      "a list contains the value",
      (id: string) => ({ json: { items: [{ next: `/books/${id}` }] } }),
    ],
    ["no link or name fits", (id: string) => ({ json: { number: Number(id), copies: 4 } })],
  ] as const
) {
  Deno.test(`calibratePlan does not guess a value of a lost body, but names the request, if ${why}`, async () => {
    const { calibration, edits } = await calibrateModel(books(respond), { edit: loseBody });
    assertEquals([calibration.proven, calibration.extracted.length, edits], [false, 0, 0]);
    assertEquals(calibration.uncompared, [
      { index: 0, name: "POST /books", what: "body (not in the recording)", senders: [1] },
    ]);
    assertStringIncludes(
      textOf(calibration),
      "  call 1: body (not in the recording); call 2 sends a recorded value that it " +
        "may have contained\n",
    );
  });
}

Deno.test("calibratePlan learns the ids of several lost bodies, each from the request after it", async () => {
  const { calibration, plan } = await calibrateModel({
    create() {
      const kept = new Set<string>();
      let last = 0;
      return ({ method, path }) => {
        const id = path.split("/")[2];
        if (method === "GET") {
          return kept.has(id) ? { json: { title: "Assam" } } : { status: 404, text: "none" };
        }
        if (method === "DELETE") return { status: kept.delete(id) ? 200 : 404, json: {} };
        kept.add(String(++last));
        // Flask ends JSON with a newline.
        const headers = { "content-type": "application/json" };
        return { headers, text: `{"location":"/books/${last}"}\n` };
      };
    },
    use(browser) {
      for (const id of [1, 2, 3]) {
        browser.send("POST", "/upload", { json: { title: "Assam" } });
        browser.send("GET", `/books/${id}`);
      }
      browser.send("GET", "/books/1");
      browser.send("DELETE", "/books/2");
    },
  }, {
    edit: (plan, recording) =>
      [0, 2, 4].reduce((edited, index) => loseBody(edited, recording, index), plan),
  });
  assertEquals(calibration.extracted.map(({ source, consumers }) => [source, consumers]), [
    [0, [1, 6]],
    [2, [3, 7]],
    [4, [5]],
  ], JSON.stringify(plan.scenarios.recorded.flow, null, 1));
});

Deno.test("calibratePlan does not take a value from a lost body if another recorded response contains it", async () => {
  const model = books((id) => ({ json: { next: `/books/${id}` } }), undefined, true);
  const found = await calibrateModel({
    create(seed) {
      const app = model.create(seed);
      return (request) =>
        request.path === "/known" ? { json: { first: RECORDED_ID } } : app(request);
    },
    use(browser) {
      browser.send("GET", "/known");
      model.use(browser);
    },
  }, { edit: (plan, recording) => loseBody(plan, recording, 1) });
  assertEquals(found.calibration.extracted, []);
  assertEquals(found.calibration.uncompared.map(({ senders }) => senders), [undefined]);
});

Deno.test("calibratePlan replaces the value of a lost body in all later requests", async () => {
  const model = books((id) => ({ json: { next: `/books/${id}`, book_id: Number(id) } }));
  const { calibration, text } = await calibrateModel({
    ...model,
    use(browser) {
      model.use(browser);
      browser.send("GET", "/books/43/pages?book_id=43");
    },
  }, { edit: loseBody });
  assert(calibration.proven, textOf(calibration));
  assertEquals(calibration.extracted.map(({ consumers }) => consumers), [[1, 2]]);
  assert(!/\b43\b/.test(text), text);
});

Deno.test("the review page states why a value of a lost body is extracted, or which request sends it", async () => {
  const show = async (respond: (id: string) => ModelResponse) => {
    const found = await calibrateModel(books(respond), { edit: loseBody });
    return calibrationReview(found, { exchanges: [] } as never, (text) => text);
  };
  const repaired = await show((id) => ({ json: { next: `/books/${id}` } }));
  assertEquals(
    repaired.values[0].reason,
    "the recorded body is missing; the live body contains a different value in its place",
  );
  const open = await show((id) => ({ json: { number: Number(id) } }));
  assertStringIncludes(
    open.notes!.find(({ kind }) => kind === "not compared")!.message,
    "; call 2 sends a recorded value that it may have contained",
  );
});

// Each body takes more than ten seconds if the time is quadratic in the number of its parts.
Deno.test("restoreResponse finds many places and many values in linear time", () => {
  const restore = (sent: readonly LostValue[], mimeType: string, text: string) => {
    const live = new ResponseSnapshot({ status: 200, headers: [], mimeType, text });
    return restoreResponse(sent, live, () => true);
  };
  const link = (id: string) => `<a href="/books/${id}">A</a>`.repeat(10_000);
  const book = { kind: "path", name: "books", template: "42" } as RequestText;
  const path = ["books", "42"];
  const restored = restore(
    [{ index: 1, text: book, names: ["bookid"], path }],
    "text/html",
    `<p>${link("57")}</p>`,
  );
  assertEquals(restored?.found.map(({ recorded, live }) => [recorded, live]), [["42", "57"]]);
  assertEquals(restored?.recorded.text, `<p>${link("42")}</p>`);
  const numbers = Array.from({ length: 2_000 }, (_, i) => i);
  const sent = numbers.map((i): LostValue => {
    const text = { kind: "json", name: `k${i}`, template: `${500_000 + i}` } as RequestText;
    return { index: 1, text, names: [`k${i}`] };
  });
  const members = Object.fromEntries(numbers.map((i) => [`k${i}`, 100_000 + i]));
  const other = Object.fromEntries(numbers.map((i) => [`other${i}`, i]));
  const json = JSON.stringify({ ...members, ...other });
  assertEquals(restore(sent, "application/json", json)?.found.length, 2_000);
});
