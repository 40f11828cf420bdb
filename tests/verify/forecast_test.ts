import { assert, assertEquals } from "@std/assert";
import { confusion, precisionAndRecall } from "../../scripts/reality/confusion.ts";
import { runLive } from "../../scripts/reality/run_live.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import { bare, calibrateModel } from "../support/calibrated.ts";
import { ModelBrowser, ModelSender } from "../support/model_app.ts";
import * as models from "../support/model_apps.ts";
import * as strict from "../support/strict_apps.ts";
import { verified } from "../support/verified.ts";

const LOAD = { users: 2, iterations: 2 };
const { rateLimited: _, ...APPS } = models;
const MODELS: Readonly<Record<string, models.Model>> = { ...APPS, ...strict };

/**
 * Verifies plans for a model application, and runs them on another instance of it. Both tests use
 * the result.
 */
const measure = memoized(async (model: models.Model) => {
  const browser = new ModelBrowser(model.create(1));
  model.use(browser);
  const recording = await browser.recording();
  const { plan } = convertHar(recording, {});
  const plans = [bare(plan, recording), plan, (await calibrateModel(model)).plan];
  const recorded = keptCalls(recording.exchanges, undefined).exchanges;
  return await Promise.all(plans.map(async (one) => {
    const { verdict, calls } = await verified(one, recording, LOAD);
    return {
      recorded,
      forecast: {
        verdict,
        calls: Object.fromEntries(calls.map(({ entry, verdict }) => [entry - 1, verdict])),
      },
      live: await runLive(copyOf(one), LOAD, recorded, new ModelSender(model.create(2))),
    };
  }));
});

function memoized<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}

function copyOf(plan: Plan): Plan {
  return (loadPlan(printPlan(plan, []))).plan!;
}

for (const [name, model] of Object.entries(MODELS)) {
  Deno.test(`for ${name}, verifyPlan neither reports failing calls as consistent nor correct plans as stale`, async () => {
    const measured = await measure(model);
    const { consistent } = confusion(measured);
    assertEquals([consistent.failedFirst, consistent.failedLater], [0, 0]);
    for (const { forecast, live } of measured) {
      const isRight = live.every(({ differences }) => differences.length === 0);
      assert(!isRight || forecast.verdict !== "stale");
    }
  });
}

Deno.test("verifyPlan predicts the first failure of every plan for the model applications", async () => {
  const measured = (await Promise.all(Object.values(MODELS).map(measure))).flat();
  const counts = confusion(measured);
  const { precision, recall } = precisionAndRecall(counts);
  const found = JSON.stringify({ ...counts, precision, recall });
  assertEquals(recall, 1, found);
  assert(precision > 0.9, found);
});
