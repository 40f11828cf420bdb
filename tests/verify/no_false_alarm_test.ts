import { assertEquals } from "@std/assert";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { harFiles } from "../support/har_files.ts";
import { readLabelled } from "../support/labelled.ts";
import { ALL, convertedAndVerified } from "../support/verified.ts";

Deno.test("verifyPlan reports no stale values for plans of the labelled set", async () => {
  for (const { name, recording } of await readLabelled()) await hasNothingStale(name, recording);
});

Deno.test("verifyPlan reports no stale values for plans of real recordings, recorder formats and the demo shop", async () => {
  const own = ["testdata/har", "testdata/har/shapes", "testdata/har/real"].flatMap(harFiles);
  for (const { name, bytes } of own) {
    await hasNothingStale(name, await readHar([bytes], name));
  }
});

Deno.test("verifyPlan reports a value as stale if and only if its label requires `--correlate`", async () => {
  for (const { name, recording, labels } of await readLabelled()) {
    const left = labels.filter(({ option, correlate }) => option !== undefined && !correlate);
    const { stale } = await convertedAndVerified(recording, {});
    assertEquals(
      new Set(stale.map(({ value }) => value)),
      new Set(left.map(({ value }) => String(value))),
      name,
    );
  }
});

async function hasNothingStale(name: string, recording: Recording): Promise<void> {
  const { verdict, share, ...found } = await convertedAndVerified(recording, ALL, {
    users: 2,
    iterations: 3,
  });
  assertEquals([verdict === "failed", share], [false, 1], `${name}: ${JSON.stringify(found)}`);
}
