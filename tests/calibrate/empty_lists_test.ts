import { assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import { type CreateApp, ModelBrowser, Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const show = (found: Calibration, explain = false) =>
  calibrationText(found, (text) => text, explain);

/**
 * An application that lists jobs with generated ids. It responds with a job to a request for any
 * id. `isEmpty` reports whether the response to the n-th request for the list, from 0, contains no
 * jobs.
 */
const jobs = (isEmpty: (request: number) => boolean): CreateApp => (seed) => {
  const values = new Values(seed);
  const list = [{ id: values.hex(12), name: "nightly" }];
  let requests = 0;
  return ({ path }) =>
    path === "/jobs"
      ? { json: { state: "ready", jobs: isEmpty(requests++) ? [] : list } }
      : { json: { job: { log: "done" } } };
};

const JOBS: Model = {
  create: jobs(() => false),
  use(browser) {
    const { jobs: [{ id }] } = JSON.parse(browser.send("GET", "/jobs").body);
    browser.send("GET", `/jobs/${id}`);
  },
};

/** `JOBS` with a user who only requests the list of jobs. */
const VIEWED: Model = { ...JOBS, use: (browser) => browser.send("GET", "/jobs") };

Deno.test("an empty list is reported next to the verdict, but does not fail the call", async () => {
  const { calibration } = await calibrateModel(VIEWED, { live: jobs(() => true) });
  assertEquals(calibration.proven, true);
  assertEquals(calibration.calls[0].content, [
    { kind: "empty list", place: "$.jobs", recorded: "1 item", live: "0 items", responses: 4 },
  ]);
  const text = show(calibration);
  assertStringIncludes(
    text,
    "Calls that differ (1)\n" +
      '  call 1: empty list: $.jobs: recorded "1 item", live "0 items", 4 times\n',
  );
  assertStringIncludes(
    text,
    "proven against http://target.example:9090: 1 of 1 call did their work for 2 users in 2 iterations; " +
      "1 call returned an empty list that has items in the recording\n",
  );
});

Deno.test("an empty list causes the verdict `state` if a later request sends a value from the recorded list", async () => {
  for (const start of ["bare", "all"] as const) {
    const { calibration, kinds } = await calibrateModel(JOBS, { live: jobs(() => true), start });
    assertEquals(kinds, ["state", "as recorded"], show(calibration, true));
    assertEquals([calibration.proven, calibration.exceptState], [false, true]);
    assertEquals(calibration.calls[0].differences, [
      "`$.jobs` is empty, but contains 1 item in the recording, and call 2 sends a value from it",
    ]);
  }
});

Deno.test("an empty list does not cause the verdict `state` if it is also empty in another recorded response", async () => {
  const model: Model = {
    create: jobs((request) => request === 1),
    use(browser) {
      JOBS.use(browser);
      browser.send("GET", "/jobs");
    },
  };
  const { calibration } = await calibrateModel(model, { live: jobs(() => true) });
  assertEquals(calibration.proven, true, show(calibration, true));
});

Deno.test("an empty list does not cause the verdict `state` if another response contains the value that is sent later", async () => {
  const id = "4f8a2c61d09b";
  const app = (jobs: readonly unknown[], last: string): CreateApp => () => ({ path }) => ({
    json: path === "/jobs" ? { jobs } : path === "/last" ? { last } : { log: "done" },
  });
  const model = (last: string): Model => ({
    create: app([{ id }], last),
    use(browser) {
      for (const path of ["/jobs", "/last", `/jobs/${id}`]) browser.send("GET", path);
    },
  });
  const kindsWith = async (last: string) =>
    (await calibrateModel(model(last), { live: app([], last) })).kinds;
  assertEquals(await kindsWith("none"), ["state", "as recorded", "as recorded"]);
  assertEquals(await kindsWith(id), ["as recorded", "as recorded", "as recorded"]);
});

Deno.test("calls with text that reads like a refusal are counted, and --explain and the review page list the text without secrets", async () => {
  const app = (state: string): CreateApp => () => () => ({ json: { state, count: 7 } });
  const model: Model = { create: app("open"), use: (browser) => browser.send("GET", "/state") };
  const found = await calibrateModel(model, {
    live: app("access denied to s3cretvalue"),
    redact: (text) => text.replaceAll("s3cretvalue", "********"),
  });
  assertEquals(found.calibration.proven, true);
  assertStringIncludes(
    show(found.calibration),
    "1 call with text that reads like a refusal, although the response is as recorded: 1 " +
      "(`--explain` lists it)\n",
  );
  assertStringIncludes(
    show(found.calibration, true),
    "Calls that differ (1)\n" +
      '  call 1: refusal: "access denied to ********", 4 times\n',
  );
  const browser = new ModelBrowser(model.create(1));
  model.use(browser);
  const review = calibrationReview(found, await browser.recording(), (text) => text);
  assertEquals(
    review.differences.map(({ what, count }) => [what, count]),
    [['refusal: "access denied to ********"', 4]],
  );
});

Deno.test("calls whose content differs from the recording only in generated values have no content differences", async () => {
  const { calibration } = await calibrateModel(JOBS);
  assertEquals(calibration.proven, true);
  assertEquals(calibration.calls.flatMap(({ content }) => content ?? []), []);
});

Deno.test("calibration does not fail with an error if a recorded list is deeply nested", async () => {
  const list = JSON.stringify([{ id: "a1b2c3d4e5f6" }]).slice(0, -1) +
    `,${"[".repeat(100_000)}${"]".repeat(100_000)}]`;
  const headers = { "Content-Type": "application/json" };
  const create: CreateApp = (seed) => ({ path }) =>
    path === "/jobs"
      ? { headers, text: `{"state":"ready","jobs":${seed === 1 ? list : "[]"}}` }
      : { json: { job: { log: "done" } } };
  const { calibration } = await calibrateModel({
    create,
    use(browser) {
      browser.send("GET", "/jobs");
      browser.send("GET", "/jobs/a1b2c3d4e5f6");
    },
  });
  assertEquals(calibration.calls.map(({ kind }) => kind), ["state", "as recorded"]);
});
