import { assert, assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { type Evaluated, evaluatePlan } from "../../scripts/models/evaluate_plan.ts";
import { callsOf } from "../../scripts/models/fresh_label.ts";
import {
  labelledModels,
  precisionAndRecall,
  readModels,
  scoreModel,
} from "../../scripts/models/score_models.ts";

Deno.test("the model applications have at least 400 values that change on a fresh server", async () => {
  const labels = (await labelledModels()).flatMap((model) => model.labels);
  assert(labels.filter(({ value, fresh }) => value !== fresh).length >= 400, `${labels.length}`);
});

/**
 * Minimum precision and recall, with `--correlate json` and by default. Raise these values, but
 * never lower them.
 */
const LEAST = { "--correlate json": [0.95, 0.3], default: [0.98, 0.9] } as const;

for (const [name, jsonOnly] of [["--correlate json", true], ["default", false]] as const) {
  Deno.test(`plans of the model applications extract the values that change on a fresh server, ${name}`, async () => {
    const scores = (await labelledModels()).map((model) => scoreModel(model, jsonOnly));
    const [precision, recall] = precisionAndRecall(scores);
    const [leastPrecision, leastRecall] = LEAST[name];
    assert(precision >= leastPrecision, `precision ${precision}`);
    assert(recall >= leastRecall, `recall ${recall}`);
  });
}

Deno.test("a plan without extractors sends a stale value for every value that changes on a fresh server", async () => {
  const [model] = (await labelledModels()).filter(({ name }) => name === "rails_articles");
  const { right, stale, dynamic } = scoreModel(model, true);
  assertEquals([right, stale], [0, dynamic]);
});

for (const { name, recorded, fresh, third } of await readModels()) {
  Deno.test(`a plan made from two recordings of ${name} works on a third server`, () => {
    const { plan, notes } = convertHar(recorded, { second: fresh });
    assertEquals(notes.filter(({ code }) => code === "again-unpaired"), []);
    const calls = callsOf(third);
    const withoutHeaders = ({ fields }: Pick<Evaluated, "fields">) =>
      fields.filter(({ kind }) => kind !== "header")
        .map(({ kind, name, value }) => `${kind} ${name}=${value}`);
    assertEquals(evaluatePlan(plan, calls).map(withoutHeaders), calls.map(withoutHeaders));
  });
}
