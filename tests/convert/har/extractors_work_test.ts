import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isNumber } from "../../../src/base/exact_number.ts";
import { random } from "../../../src/base/random.ts";
import { correlate } from "../../../src/correlation/correlate.ts";
import { recordedStep } from "../../../src/correlation/shared_values.ts";
import type { Variable } from "../../../src/correlation/variable.ts";
import { compileExtractor, rowTemplate } from "../../../src/extract/extractors.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { keptCalls } from "../../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { recordedExchanges } from "./arbitrary_recording.ts";
import { receivedOf } from "./fresh_replay.ts";
import { goldensOf } from "./golden.ts";
import { CASE_FILES, readCases, recordingOf, recordingWith } from "./recorded_case.ts";

Deno.test("every extractor that convert writes returns the recorded value in a run", async () => {
  const kinds = new Map<string, number>();
  for (const recording of await recordings()) {
    const calls = splitCalls(keptCalls(recording.exchanges, undefined).exchanges);
    for (const jsonOnly of [false, true]) {
      const { variables, offers, overlaps } = correlate(calls.map(recordedStep), {
        jsonOnly,
        explain: false,
      });
      for (const variable of [...variables, ...offers, ...overlaps]) {
        checkVariable(variable);
        const { type } = variable.extractor;
        kinds.set(type, (kinds.get(type) ?? 0) + 1);
      }
    }
  }
  assertEquals([...kinds.keys()].sort(), [
    ...["boundary", "cookie", "css", "header", "jsonpath", "regex"],
  ]);
  assert([...kinds.values()].every((count) => count >= 4), JSON.stringify([...kinds]));
});

function checkVariable({ value: expected, extractor, candidate }: Variable): void {
  const { take } = compileExtractor(extractor);
  const response = receivedOf(candidate.producer.exchange.response);
  const value = take(response, random(1), rowTemplate(extractor));
  assertEquals(isNumber(value), candidate.numeric, JSON.stringify(extractor));
  assertEquals(String(value), expected, JSON.stringify(extractor));
}

async function recordings(): Promise<Recording[]> {
  const cases = CASE_FILES.flatMap((file) =>
    readCases(`${file}.yaml`).map(({ calls }) => recordingOf(calls))
  );
  const files = await Promise.all([...goldensOf("labelled"), ...goldensOf("real")].map(
    async ({ name, har }) => readHar([await Deno.readFile(har)], name),
  ));
  const made = fc.sample(recordedExchanges).map(recordingWith);
  return [...cases, ...files, ...made];
}
