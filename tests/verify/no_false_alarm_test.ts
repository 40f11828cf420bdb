import { assert, assertEquals } from "@std/assert";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { harFiles } from "../support/har_files.ts";
import { readLabelled } from "../support/labelled.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";
import { convertedAndVerified } from "../support/verified.ts";

Deno.test("verifyPlan does not report correlated values as stale in plans converted from labelled recordings", async () => {
  for (const { name, recording, labels } of await readLabelled()) {
    const correlated = labels.filter(({ byDefault, correlate }) => correlate || byDefault)
      .map(({ value }) => String(value));
    const load = { users: 2, iterations: 2 };
    const { stale, nothingFound, unsent } = await convertedAndVerified(recording, {}, load);
    const wrong = stale.filter(({ value }) => correlated.includes(value));
    assertEquals(
      { wrong, nothingFound, unsent },
      { wrong: [], nothingFound: [], unsent: [] },
      name,
    );
  }
});

Deno.test("verifyPlan reports no stale values for plans of real recordings, recorder formats and the demo shop", async () => {
  const own = ["testdata/har", "testdata/har/shapes", "testdata/har/real"].flatMap(harFiles);
  for (const { name, bytes } of own) {
    await hasNothingStale(name, await readHar([bytes], name));
  }
});

Deno.test("verifyPlan reports each labelled value that the plan does not correlate", async () => {
  for (const { name, recording, labels } of await readLabelled()) {
    const left = labels.filter(({ byDefault, correlate }) => byDefault && !correlate);
    const { stale, unproven, verdict } = await convertedAndVerified(recording, {
      jsonOnly: true,
    });
    const reported = [...stale, ...unproven].map(({ value }) => value);
    for (const { value } of left) {
      assert(reported.some((one) => one.includes(String(value))), `${name}: ${value}`);
    }
    assertEquals(left.length > 0 && verdict === "consistent", false, name);
  }
});

async function hasNothingStale(name: string, recording: Recording): Promise<void> {
  const { verdict, share, ...found } = await convertedAndVerified(recording, {}, {
    users: 2,
    iterations: 2,
  });
  const isRejected = verdict === "stale" || verdict === "failed";
  assertEquals([isRejected, share], [false, 1], `${name}: ${JSON.stringify(found)}`);
}

Deno.test("verifyPlan does not expect a value of the server as the id of a JSON-RPC request", async () => {
  const find = (id: number, model: string) => ({
    id,
    method: `model.${model}.read`,
    params: [[3]],
  });
  const recording = recordingOf([
    { request: "POST /", json: find(50, "tree"), response: { id: 50, result: [{ id: 51 }] } },
    { request: "POST /", json: find(51, "user"), response: { id: 51, result: [{ name: "Ada" }] } },
    {
      request: "POST /",
      json: { id: 52, method: "model.tree.read", params: [[51]] },
      response: { id: 52, result: [] },
    },
  ]);
  const { stale, unproven } = await convertedAndVerified(recording, {});
  const places = [...stale, ...unproven].map(({ place }) => place);
  assertEquals(places.filter((place) => place === "json $.id"), []);
});
