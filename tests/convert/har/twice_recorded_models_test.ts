import { assertEquals } from "@std/assert";
import { MODELS } from "../../../scripts/models/apps/models.ts";
import { evaluatePlan } from "../../../scripts/models/evaluate_plan.ts";
import { FRESH, RECORDED, recordModel } from "../../../scripts/models/record_model.ts";
import { convertHar } from "../../../src/convert/from_har.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import { keptCalls } from "../../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";

/** Settings of a third server, which differs from the servers of both recordings. */
const THIRD = { seed: "third", day: 21 };

for (const model of MODELS) {
  Deno.test(`a plan made from two recordings of ${model.name} works on a third server`, async () => {
    const [first, second, third] = await Promise.all(
      [RECORDED, FRESH, THIRD].map((run) =>
        readHar([new TextEncoder().encode(recordModel(model, run))], "model.har")
      ),
    );
    const { plan, notes } = convertHar(first, { second });
    assertEquals(notes.filter(({ code }) => code === "again-unpaired"), []);
    const calls = splitCalls(keptCalls(third.exchanges).exchanges);
    const withoutHeaders = ({ fields }: Pick<typeof calls[number], "fields">) =>
      fields.filter(({ kind }) => kind !== "header")
        .map(({ kind, name, value }) => `${kind} ${name}=${value}`);
    assertEquals(evaluatePlan(plan, calls).map(withoutHeaders), calls.map(withoutHeaders));
  });
}
