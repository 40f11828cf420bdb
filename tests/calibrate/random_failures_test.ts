import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { reviewPage } from "../../src/report/html/review_page.ts";
import { random } from "../../src/base/random.ts";
import { calibrateModel, explainedTextOf } from "../support/calibrated.ts";
import { type CreateApp, ModelBrowser, type ModelResponse } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

/**
 * A user who deploys a flow and then sends a request to it. A recorded pause precedes the request.
 */
const pressing = (method: string): Model => ({
  create: () => ({ path }) => path === "/deploy" ? { json: { rev: "r" } } : PRESSED,
  use(browser) {
    browser.send("POST", "/deploy", { json: { nodes: 2 } });
    browser.send(method, "/press", method === "GET" ? {} : { json: {} });
  },
});

const PRESSED: ModelResponse = { json: { pressed: true } };
const FAILED: ModelResponse = { status: 500, json: {} };

/** An application in which request `n` to `/press` (from 1) fails if `fails(n)` returns true. */
const failing = (fails: (press: number) => boolean): CreateApp => {
  let presses = 0;
  return () => ({ path }) => {
    if (path === "/deploy") return { json: { rev: "r" } };
    return fails(++presses) ? FAILED : PRESSED;
  };
};

for (const method of ["GET", "POST"]) {
  // Presses 1 and 2 are in passes 1 and 2, and presses 3 to 6 in the first round of two users.
  for (const number of [1, 2, 3, 4, 5]) {
    Deno.test(`calibratePlan does not confirm a pause before a ${method} if attempt ${number} fails at random`, async () => {
      const live = failing((press) => press === number);
      const found = await calibrateModel(pressing(method), { live });
      const { calibration, plan } = found;
      assertEquals(calibration.pauses, []);
      assertEquals(
        plan.scenarios.recorded.flow.map(({ request }) => request?.url),
        ["/deploy", "/press"],
      );
      assertEquals(calibration.proven, false);
      assertEquals(calibration.exceptState, false);
      assertEquals(calibration.calls[1].kind, "random", explainedTextOf(calibration));
      const { succeeded, attempts, pause } = calibration.calls[1].random!;
      assertEquals(succeeded, attempts - 1);
      assertEquals(pause, 980);
      const round = number < 3 ? `pass ${number}` : "round 1";
      assertStringIncludes(
        explainedTextOf(calibration),
        `fails at random: failed in 1 of ${attempts} attempts without the recorded pause, although ` +
          `the plan did not change between them; first in ${round} (user `,
      );
      assertStringIncludes(explainedTextOf(calibration), "): status 500 instead of 200");
      assert(calibration.writes.sent <= calibration.writes.limit);
    });
  }
}

for (
  const [why, numbers] of [
    ["each user once", [3, 4]],
    ["the first user twice", [1, 2]],
    ["both users in a whole round", [3, 4, 5, 6]],
    ["users in turns", [1, 2, 4]],
  ] as const
) {
  Deno.test(`calibratePlan does not confirm a pause before a POST if attempts ${numbers.join(", ")} fail at random (${why})`, async () => {
    const live = failing((press) => (numbers as readonly number[]).includes(press));
    const { calibration } = await calibrateModel(pressing("POST"), { live });
    assertEquals(calibration.pauses, [], explainedTextOf(calibration));
    assertEquals(calibration.proven, false);
    assertEquals(calibration.calls[1].kind, "random", explainedTextOf(calibration));
  });
}

Deno.test("the review page shows when a call failed at random", async () => {
  const model = pressing("GET");
  const browser = new ModelBrowser(model.create(1));
  model.use(browser);
  const live = failing((press) => press === 4);
  const found = await calibrateModel(model, { live });
  const review = calibrationReview(found, await browser.recording(), (text) => text);
  assertEquals(review.rating, "bad");
  const [, press] = review.calls;
  assertEquals([press.result, press.rating], ["fails at random", "open"]);
  const { succeeded, attempts } = found.calibration.calls[1].random!;
  const why = `fails at random: failed in 1 of ${attempts} attempts without the recorded pause, ` +
    "although the plan did not change between them; first in round 1 (user 2, iteration 1): " +
    "status 500 instead of 200; JSON members: only recorded: pressed";
  assertEquals(succeeded, attempts - 1);
  assertEquals(press.reason, why);
  assertStringIncludes(await reviewPage(review), why);
});

/** A user who opens a page and then reads or writes data immediately, without a recorded pause. */
const reading = (method: string, fails: (call: number) => ModelResponse | undefined): Model => {
  let calls = 0;
  return {
    create: (seed) => ({ path }) => {
      if (path === "/home") return { json: { token: `a${seed}b77c` } };
      return (seed === 1 ? undefined : fails(++calls)) ?? { json: { saved: true } };
    },
    use(browser) {
      const { token } = JSON.parse(browser.send("GET", "/home").body);
      browser.send(method, "/data", method === "GET" ? {} : { json: { token } });
    },
  };
};

/**
 * Option that removes the pauses from a recording, so that each call starts when the preceding one
 * ends.
 */
const AT_ONCE = { gap: 0 } as const;

for (const method of ["GET", "POST"]) {
  for (const number of [1, 2, 3, 4, 5]) {
    Deno.test(`calibratePlan does not report a plan as proven if attempt ${number} of a ${method} without a recorded pause fails`, async () => {
      const model = reading(method, (call) => call === number ? FAILED : undefined);
      const { calibration } = await calibrateModel(model, AT_ONCE);
      assertEquals(calibration.proven, false, explainedTextOf(calibration));
      assertEquals(calibration.exceptState, false);
      assertEquals(calibration.calls[1].kind, "random", explainedTextOf(calibration));
      assertEquals(calibration.calls[1].random!.pause, undefined);
      assertEquals(calibration.conflicts, []);
      assertStringIncludes(explainedTextOf(calibration), "fails at random: failed in 1 of ");
    });
  }
}

Deno.test("calibratePlan does not make text unique if a write fails at random", async () => {
  let creates = 0;
  const refused = { status: 409, json: { success: false } };
  const model: Model = {
    create: (seed) => () =>
      seed !== 1 && ++creates === 1 ? refused : { json: { success: true, id: "n1" } },
    use: (browser) => {
      browser.send("POST", "/notes", { json: { title: "Green tea" } });
    },
  };
  const { calibration, plan } = await calibrateModel(model, AT_ONCE);
  assertEquals(calibration.unique, [], explainedTextOf(calibration));
  assertEquals(plan.scenarios.recorded.flow[0].request?.body, { json: { title: "Green tea" } });
  assertEquals(calibration.calls[0].kind, "random");
  assertEquals(calibration.proven, false);
});

Deno.test("calibratePlan does not report a failure as random if an edit fixes it", async () => {
  const titles = new Set<string>();
  const model: Model = {
    create: (seed) => {
      if (seed !== 1) titles.add("Green tea");
      return ({ body }) => {
        const { title } = JSON.parse(body);
        if (titles.has(title) && seed !== 1) return { status: 409, json: { success: false } };
        titles.add(title);
        return { json: { success: true } };
      };
    },
    use: (browser) => {
      browser.send("POST", "/notes", { json: { title: "Green tea" } });
    },
  };
  const { calibration } = await calibrateModel(model, AT_ONCE);
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
  assertEquals(calibration.unique.map(({ recorded }) => recorded), ["Green tea"]);
});

Deno.test("calibratePlan does not report a plan as proven if the connection of a call failed once", async () => {
  const model = pressing("GET");
  let presses = 0;
  const { calibration } = await calibrateModel(model, {
    ...AT_ONCE,
    live: () => (request) => {
      if (request.path === "/press" && ++presses === 1) return { fault: "connection reset" };
      return model.create(2)(request);
    },
  });
  assertEquals(calibration.proven, false, explainedTextOf(calibration));
  assertEquals(calibration.calls[1].kind, "random");
  assertStringIncludes(explainedTextOf(calibration), "connection reset");
});

for (const method of ["GET", "POST"]) {
  for (const rate of [0.1, 0.3, 0.5, 0.7, 0.9]) {
    Deno.test(`calibratePlan does not report a plan as proven if a ${method} failed at random at a rate of ${rate}`, async () => {
      let proven = 0;
      for (let seed = 1; seed <= 6; seed++) {
        for (const gap of [0, 980]) {
          const next = random(seed);
          let failures = 0;
          const live = failing(() => {
            const fails = next.next() < rate;
            if (fails) failures++;
            return fails;
          });
          const { calibration } = await calibrateModel(pressing(method), { live, gap });
          const text = `seed ${seed}, gap ${gap}: ${explainedTextOf(calibration)}`;
          if (failures > 0) assertEquals(calibration.proven, false, text);
          assertEquals(calibration.pauses, [], text);
          assertEquals(calibration.conflicts, [], text);
          if (calibration.proven) proven++;
        }
      }
      assert(proven < 12);
    });
  }
}

/** An application that refuses the first attempt at each write and accepts the second. */
const insisting: Model = {
  create: (seed) => {
    let attempts = 0;
    return ({ path }) => {
      if (path === "/deploy") return { json: { rev: "r" } };
      const isRefused = seed !== 1 && ++attempts % 2 === 1;
      return isRefused ? { status: 409, json: { success: false } } : { json: { success: true } };
    };
  },
  use(browser) {
    browser.send("POST", "/deploy", { json: { nodes: 2 } });
    browser.send("POST", "/notes", { json: { title: "Green tea" } });
  },
};

for (const gap of [0, 980]) {
  Deno.test(`calibratePlan does not report a plan as proven if a write needs a second attempt (pause ${gap} ms)`, async () => {
    const { calibration } = await calibrateModel(insisting, { gap });
    assertEquals(calibration.proven, false, explainedTextOf(calibration));
    assertEquals(calibration.exceptState, false);
    assertEquals(calibration.unique, []);
    assertEquals(calibration.pauses, []);
  });
}

Deno.test("calibratePlan does not change a search request if it fails at random", async () => {
  const titles = new Set<string>();
  let searches = 0;
  const model: Model = {
    create: (seed) => ({ method, body }) => {
      if (method === "GET") {
        return seed !== 1 && ++searches === 1 ? FAILED : { json: { found: [] } };
      }
      const { title } = JSON.parse(body);
      const isRefused = seed !== 1 &&
        (titles.size === 0 ? title === "Earl Grey" : titles.has(title));
      if (isRefused) return { status: 409, json: { success: false } };
      if (seed !== 1) titles.add(title);
      return { json: { success: true } };
    },
    use(browser) {
      browser.send("POST", "/notes", { json: { title: "Earl Grey" } });
      browser.send("GET", "/notes?q=Earl");
    },
  };
  const { calibration, plan } = await calibrateModel(model, { gap: 0 });
  assertEquals(calibration.unique.map(({ recorded }) => recorded), ["Earl Grey"]);
  assertEquals(calibration.calls[1].kind, "random", explainedTextOf(calibration));
  assertEquals(calibration.proven, false);
  assertEquals(plan.scenarios.recorded.flow[1].request?.url, "/notes?q=Earl");
});
