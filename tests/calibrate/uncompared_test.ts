import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Exchange, Recording } from "../../src/traffic/har/recording.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";

/** A page that uploads a book, and then opens it at the path in the response. */
const BOOKS: Model = {
  create() {
    let books = 0;
    return ({ method, path }) => {
      if (method === "POST") return { json: { location: `/books/${++books}` } };
      return Number(path.slice(7)) <= books ? { json: { title: "Assam" } } : { status: 404 };
    };
  },
  use(browser) {
    browser.send("POST", "/upload", { json: { title: "Assam" } });
    browser.send("GET", "/books/1");
  },
};

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, true);

/** Removes the body of the first response, as if the page had navigated away. */
function loseBody(plan: Plan, { exchanges }: Recording): Plan {
  const { status, headers, mimeType, size } = exchanges[0].response;
  const response = { status, headers, mimeType, size, text: undefined };
  (exchanges as Exchange[])[0] = { ...exchanges[0], response };
  return plan;
}

Deno.test("calibratePlan lists a response as not compared if the recording lacks its body", async () => {
  const { calibration } = await calibrateModel(BOOKS, { edit: loseBody });
  assertEquals(calibration.uncompared, [
    { index: 0, name: "POST /upload", what: "body (not in the recording)" },
  ]);
  assertMatch(textOf(calibration), /^ {2}call 1: body \(not in the recording\)$/m);
  assertMatch(textOf(calibration), /^proven against .*; not compared: missing bodies$/m);
});

Deno.test("calibratePlan lists no responses as not compared if the recording contains all bodies", async () => {
  const { calibration } = await calibrateModel(BOOKS);
  assertEquals(calibration.uncompared, []);
  assertNotMatch(textOf(calibration), /not compared/i);
});
