import { assert, assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { listSteps } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { extractValue } from "../../src/correlation/try_extractor.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";
import { framedJson } from "../../src/base/frames.ts";
import { readCases, recordingOf } from "../convert/har/recorded_case.ts";
import { socketRecording } from "../builders/socket_recording.ts";
import { verified } from "../support/verified.ts";

const CASES = readCases("messages.yaml").map((one) => ({
  ...one,
  recording: recordingOf(one.calls),
}));
const TWICE = { users: 2, iterations: 2 };

Deno.test("verifyPlan confirms plans that extract values from messages with and without frames", async () => {
  for (const { case: name, recording, received } of CASES) {
    if (Object.keys(received ?? {}).length === 0) continue;
    const { plan } = convertHar(recording, {});
    const { unsent, differing, stale, unproven } = await verified(plan, recording, TWICE);
    // Each user sends the same text. This is not about values from the server.
    const fromServer = unproven.filter(({ reason }) => reason !== "same text");
    assertEquals([unsent, differing, stale, fromServer], [[], [], [], []], name);
  }
});

Deno.test("verifyPlan reports a recorded value from a message wherever a plan sends it", async () => {
  let mutants = 0;
  for (const { case: name, recording } of CASES) {
    const { plan } = convertHar(recording, {});
    for (const [variable, value] of extractedIn(plan, recording.exchanges)) {
      for (const mutant of withLiteral(plan, variable, value)) {
        const { verdict, stale, unproven } = await verified(mutant, recording, TWICE);
        const found = [...stale, ...unproven].map((finding) => finding.value);
        assert(found.includes(value), `${name}: ${variable} ${value}: ${found}`);
        assert(verdict !== "consistent", name);
        mutants++;
      }
    }
  }
  assertEquals(mutants, 18);
});

/** Returns the variables that a plan extracts from messages, and their recorded values. */
function extractedIn(plan: Plan, exchanges: readonly Exchange[]): [name: string, value: string][] {
  const responses = exchanges.flatMap(({ messages = [] }) => messages)
    .filter(({ sent }) => !sent)
    .map(({ text = "" }) => {
      const payload = framedJson(text)?.json;
      return { headers: [], mimeType: "", text, ...(payload !== undefined && { payload }) };
    });
  return [...listSteps(plan.scenarios.recorded.flow)].flatMap(({ expect }) =>
    (expect?.extract ?? []).map((extractor): [string, string] => {
      const values = responses.map((one) => extractValue(extractor, one));
      return [extractor.name, String(values.find((value) => value !== undefined))];
    })
  );
}

/** Returns copies of a plan. Each has `value` in place of one reference to `variable`. */
function withLiteral(plan: Plan, variable: string, value: string): Plan[] {
  const text = JSON.stringify(plan);
  const reference = `\${${variable}}`;
  return [...text.matchAll(new RegExp(RegExp.escape(reference), "g"))]
    // The name of a request is not sent.
    .filter(({ index }) => !/"name":"[^"]*$/.test(text.slice(0, index)))
    .map(({ index }) =>
      JSON.parse(text.slice(0, index) + value + text.slice(index + reference.length))
    );
}

Deno.test("verifyPlan compares JSON in a frame as text if it is nested deeply or repeats a name", async () => {
  const deep = `42["open",${"[".repeat(20_000)}1${"]".repeat(20_000)}]`;
  for (const message of [deep, '42["open",{"a":"first","a":"second","b":1.10}]']) {
    const recording = await socketRecording([
      { call: "GET /", at: 0, response: { ok: true } },
      { call: "WS /ws", at: 50, messages: { 100: "< ready", 200: `> ${message}` } },
    ]);
    const { plan } = convertHar(recording, {});
    const { verdict, differing } = await verified(plan, recording);
    assertEquals([verdict, differing], ["consistent", []]);
    const changed = JSON.stringify(plan).replace("first", "other").replace("[1]", "[2]");
    const other = await verified(JSON.parse(changed), recording);
    assertEquals(other.differing.length, 1);
  }
});
