import { assert, assertEquals, assertObjectMatch } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { listRequests, listSteps } from "../../../src/plan/kinds/list_requests.ts";
import type { Extractor } from "../../../src/plan/kinds/extractors.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import { assertFollows } from "./fresh_replay.ts";
import { CASE_FILES, readCases, type RecordedCase, recordingOf } from "./recorded_case.ts";

for (const file of CASE_FILES) {
  for (const one of readCases(`${file}.yaml`)) {
    Deno.test(`convertHar, ${file}: ${one.case}`, () => checkCase(one));
  }
}

function checkCase(one: RecordedCase): void {
  const { plan, notes } = convertHar(recordingOf(one.calls), {
    jsonOnly: one.correlate !== "all",
    keepStatic: one.options?.keep_static,
    include: one.options?.include?.map((pattern) => new RegExp(pattern, "u")),
    checks: one.options?.checks,
    parallel: one.options?.parallel,
    thinkTime: one.options?.think_time,
    exclude: one.options?.exclude?.map((pattern) => new RegExp(pattern, "u")),
  });
  assertEquals(
    checkPlan(plan).filter(({ severity }) => severity === "error"),
    [],
  );
  const { flow } = plan.scenarios.recorded;
  const requests = [...listRequests(flow)];
  if (one.repeats) {
    const repeats = [...listSteps(flow)].flatMap(({ retry }) => retry ? [retry] : []);
    assertEquals(repeats.length, one.repeats.length);
    repeats.forEach((retry, i) => assertObjectMatch({ ...retry }, one.repeats![i]));
  }
  const steps = [...listSteps(flow)];
  const expected = steps.flatMap(({ expect }) => expect ? [expect] : []);
  if (one.received) {
    const received = expected.flatMap(({ extract = [] }) => extract).map(notationOf);
    assertEquals(Object.fromEntries(received), one.received);
  }
  if (one.waits) assertEquals(expected.map(({ condition }) => condition), one.waits);
  if (one.sent) assertEquals(steps.flatMap(({ send }) => send ?? []), one.sent);
  if (one.variables) assertEquals(extractedBy(requests), one.variables);
  for (const [call, part] of Object.entries(one.sends ?? {})) {
    assertObjectMatch({ ...requests[Number(call)] }, part as Record<string, unknown>);
  }
  const codes: string[] = notes.map(({ code }) => code);
  for (const code of one.notes ?? []) assert(codes.includes(code), `${code} among ${codes}`);
  for (const code of one.no_notes ?? []) assert(!codes.includes(code), `${code} among ${codes}`);
  for (const [code, text] of Object.entries(one.messages ?? {})) {
    const messages = notes.filter((note) => note.code === code).map(({ message }) => message);
    assert(messages.some((message) => message.includes(text)), `"${text}" in ${messages}`);
  }
  if (one.offers) assertEquals(offeredIn(notes), one.offers);
  if (one.urls) assertEquals(requests.map(({ url }) => url), one.urls);
  if (one.names) assertEquals(requests.map(({ name }) => name), one.names);
  if (one.defaults) assertObjectMatch({ ...plan.defaults?.http }, one.defaults);
  if (one.fresh) assertFollows(plan, requests, one.calls, one.fresh);
}

/** Formats extractors in the notation of the case files. */
function extractedBy(requests: readonly Request[]): Record<string, string> {
  return Object.fromEntries(
    requests.flatMap(({ extract = [] }, call) =>
      extract.map(notationOf).map(([name, what]) => [name, `${call} ${what}`])
    ),
  );
}

/** Returns the name of an extractor, and the extractor in the notation of the case files. */
function notationOf(extractor: Extractor): [name: string, notation: string] {
  const what = extractor.type === "jsonpath" ? extractor.expression : extractor.type;
  return [extractor.name, [what, ...extractor.transform ?? []].join(" ")];
}

/** Returns the extractors that the notes suggest, keyed by name. */
function offeredIn(notes: readonly { code: string; message: string }[]): Record<string, unknown> {
  const offers = notes.filter(({ code }) => code === "excluded-value")
    .filter(({ message }) => message.includes("extract: ["));
  return Object.fromEntries(offers.map(({ message }) => {
    const { name, ...rest } = JSON.parse(/extract: \[(\{.*\})\]/.exec(message)![1]);
    return [name, rest];
  }));
}
