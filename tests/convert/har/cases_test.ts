import { assert, assertEquals, assertObjectMatch } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { isNumber } from "../../../src/base/exact_number.ts";
import { random } from "../../../src/base/random.ts";
import { parseYaml } from "../../../src/base/yaml.ts";
import { convertHar } from "../../../src/convert/from_har.ts";
import type { HarOptions } from "../../../src/convert/har/facts.ts";
import {
  HAR_NOTES,
  LOG_NOTES,
  needsAction,
  noteLevel,
  OTHER_NOTES,
} from "../../../src/convert/notes/notes.ts";
import { correlate } from "../../../src/correlation/correlate.ts";
import { recordedStep } from "../../../src/correlation/shared_values.ts";
import type { Variable } from "../../../src/correlation/variable.ts";
import { compileExtractor, rowTemplate } from "../../../src/extract/extractors.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import type { Extractor } from "../../../src/plan/kinds/extractors.ts";
import { listRequests, listSteps } from "../../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { withDoubles } from "../../../src/plan/normalize_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { keptCalls } from "../../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { editedJson, jsonEdits } from "../../builders/json_edits.ts";
import { harFiles } from "../../support/har_files.ts";
import { recordedExchanges } from "./arbitrary_recording.ts";
import { assertFollows, receivedOf } from "./fresh_replay.ts";
import { type Golden, goldensOf, goldenText } from "./golden.ts";
import {
  CASE_FILES,
  type CaseCall,
  readCases,
  type RecordedCase,
  recordingOf,
  recordingWith,
} from "./recorded_case.ts";

for (const file of CASE_FILES) {
  for (const one of readCases(`${file}.yaml`)) {
    Deno.test(`convertHar, ${file}: ${one.case}`, () => checkCase(one));
  }
}

function checkCase(one: RecordedCase): void {
  const { plan, notes, explanation } = convertHar(recordingOf(one.calls), {
    jsonOnly: one.correlate !== "all",
    keepStatic: one.options?.keep_static,
    include: one.options?.include?.map((pattern) => new RegExp(pattern, "u")),
    checks: one.options?.checks,
    parallel: one.options?.parallel,
    thinkTime: one.options?.think_time,
    maxThinkMs: one.options?.max_think,
    origins: one.options?.origins,
    secrets: one.options?.secrets,
    explain: one.explained !== undefined,
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
  if (one.flow) {
    const shown = flow.map(({ request, think_time: pause }) =>
      request?.url ?? (pause as { duration: string }).duration
    );
    assertEquals(shown, one.flow);
  }
  if (one.secrets) {
    const secrets = Object.entries(one.secrets).map(([name, env]) => [name, { env }]);
    assertEquals(plan.secrets ?? {}, Object.fromEntries(secrets));
  }
  if (one.explained) assertEquals(explanation, one.explained);
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

for (const set of ["labelled", "real"] as const) {
  for (const golden of goldensOf(set)) {
    Deno.test(`convert creates the golden plan for ${set}/${golden.name}.har`, () => check(golden));
  }
}

Deno.test("every golden plan belongs to a recording", () => {
  for (const set of ["labelled", "real"] as const) {
    const goldens = Deno.readDirSync(
      new URL(`../../../testdata/har/golden/${set}/`, import.meta.url),
    );
    assertEquals(
      [...goldens].map(({ name }) => name).sort(),
      goldensOf(set).map(({ name }) => `${name}.yaml`),
    );
  }
});

/**
 * Fails if the golden file is out of date. To update it, run `deno task update` and
 * review the difference.
 */
async function check(golden: Golden): Promise<void> {
  const text = await goldenText(golden);
  assertEquals(text, await Deno.readTextFile(golden.golden));
  if (!text.includes("scenarios:")) return;
  assertEquals(
    checkPlan(withDoubles(parseYaml(text))),
    [],
  );
}

const OPTIONS: HarOptions = {
  secrets: true,
  checks: "response",
  explain: true,
};

const texts = new Map(
  ["shapes", "real", "labelled"].flatMap((folder) => harFiles(`testdata/har/${folder}`))
    .filter(({ bytes }) => bytes.length < 100_000)
    .map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
);

Deno.test("convertHar with all options returns a valid plan or throws an InputError for any change to a HAR", () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...texts.keys()), jsonEdits, async (name, edits) => {
      const bytes = new TextEncoder().encode(editedJson(texts.get(name)!, edits));
      const text = await converted(bytes);
      if (text === undefined) return;
      const { diagnostics } = loadPlan(text);
      assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
    }),
    COSTLY,
  ));

async function converted(bytes: Uint8Array): Promise<string | undefined> {
  try {
    const { plan, header } = convertHar(await readHar([bytes], "x"), OPTIONS);
    return printPlan(plan, header);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

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
  const made = fc.sample(recordedExchanges, COSTLY.numRuns).map(recordingWith);
  return [...cases, ...files, ...made];
}

/**
 * A recording with calls that `convert` excludes, and with kinds of calls that no other recording
 * contains.
 */
const EXCLUDED: readonly CaseCall[] = [
  { request: "GET /a", response: { token: "4f6c1d2e8a9b7c30" } },
  { request: "GET /b.js", type: "text/javascript" },
  { request: "GET data:text/plain,x" },
  { request: "GET blob:https://app.example/1" },
  { request: "GET chrome-extension://a/b.js" },
  { request: "GET wss://app.example/socket" },
  { request: "GET ftp://app.example/file" },
  { request: "CONNECT https://app.example:443/" },
  { request: "GET /blocked", status: 0 },
  { request: "FOO.BAR /x" },
];

const LEFT_OUT: readonly CaseCall[] = [
  { request: "GET https://other.example/token", response: { token: "4f6c1d2e8a9b7c30" } },
  { request: "GET /a" },
  { request: "GET /b?token=4f6c1d2e8a9b7c30" },
];

const LARGE_PAGE: readonly CaseCall[] = [
  {
    request: "GET /a",
    text: `${"<div>".repeat(2_000)}<input name=t value=4f6c1d2e8a9b7c30>`,
    type: "text/html",
  },
  { request: "GET /b?t=4f6c1d2e8a9b7c30" },
];

Deno.test("convertHar emits every HAR note code", async () => {
  const emitted = new Set<string>();
  const convert = (recording: Recording, options: HarOptions = {}) => {
    for (const { code } of convertHar(recording, options).notes) emitted.add(code);
  };
  convert(recordingOf(EXCLUDED));
  convert(recordingOf(LEFT_OUT), { origins: ["app.example"] });
  convert(recordingOf(LEFT_OUT), { exclude: [/other/] });
  const { exchanges: [cached] } = recordingOf([{ request: "GET /a" }]);
  convert(recordingWith([{ ...cached, cached: true }]));
  convert(recordingOf(LARGE_PAGE));
  for (
    const file of [
      ...["dynamic", "places", "not_correlated", "sources", "calls", "hints", "client_ids"],
      ...["client_uuids", "streams", "polling"],
    ]
  ) {
    for (const { calls } of readCases(`${file}.yaml`)) convert(recordingOf(calls));
  }
  for (const folder of ["bytes", "shapes", "real", "labelled"]) {
    for (const { name, bytes } of harFiles(`testdata/har/${folder}`)) {
      const recording = await readHar([bytes], name);
      convert(recording, { jsonOnly: true });
      convert(recording, { secrets: true });
    }
  }
  assertEquals(Object.keys(HAR_NOTES).filter((code) => !emitted.has(code)), []);
});

const NOTE = { subject: "subject", message: "message" };

Deno.test("noteLevel returns the default level of the code unless the note sets its own", () => {
  assertEquals(noteLevel({ ...NOTE, code: "gaps" }), "warning");
  assertEquals(noteLevel({ ...NOTE, code: "correlation" }), "info");
  assertEquals(noteLevel({ ...NOTE, code: "curve-fit", level: "warning" }), "warning");
});

Deno.test("needsAction reports whether any note is a warning", () => {
  assertEquals(needsAction([]), false);
  assertEquals(needsAction([{ ...NOTE, code: "correlation" }]), false);
  assertEquals(
    needsAction([{ ...NOTE, code: "correlation" }, { ...NOTE, code: "base-url" }]),
    true,
  );
});

Deno.test("a note code used for both logs and HARs has the same level for both", () => {
  const levels: Readonly<Record<string, string>> = { ...LOG_NOTES, ...HAR_NOTES };
  assertEquals({ ...levels, ...LOG_NOTES }, levels);
});

Deno.test("docs/warnings.md describes every note code, with its level", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/warnings.md", import.meta.url));
  const described = page.matchAll(/^- \*\*`([\w-]+)`\*\* \((info|warning)/gm);
  assertEquals(
    Object.fromEntries(Array.from(described, ([, code, level]) => [code, level])),
    { ...LOG_NOTES, ...HAR_NOTES, ...OTHER_NOTES },
  );
});
