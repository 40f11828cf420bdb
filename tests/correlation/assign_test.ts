import { assertEquals } from "@std/assert";
import { Assigner } from "../../src/correlation/assign.ts";
import { Referers } from "../../src/correlation/pieces.ts";
import { SessionEvidence } from "../../src/correlation/session_evidence.ts";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import { SourceExtractors } from "../../src/correlation/source_extractors.ts";
import { chooseSource, SourceWeigher } from "../../src/correlation/weigh_sources.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

const TOKEN = "q7Zk2Xw9fR3m";
const UUID = "6f1c0a52-93de-4c55-a3f0-1d0a8a1f9f10";
const page = (text: string) => ({ type: "text/html", text });

function readCalls(calls: readonly CaseCall[]) {
  const split = splitCalls(recordingOf(calls).exchanges);
  const steps = split.map(recordedStep);
  const values = sharedValues(steps, () => true);
  const extractors = new SourceExtractors(steps, values);
  return { split, values, extractors, session: new SessionEvidence(split) };
}

/** Calls, and the assignments: value, kind, source, and the calls that then send the variable. */
const ASSIGNED: Record<
  string,
  [calls: CaseCall[], assignments: string[], jsonOnly?: true]
> = {
  "a value to the only response that explains it": [
    [
      { request: "GET /a", response: { token: TOKEN } },
      { request: `GET /b?x=${TOKEN}` },
      { request: `GET /c?x=${TOKEN}` },
    ],
    [`${TOKEN} correlated 0 token: 1, 2`],
  ],
  "the longest value first": [
    [
      { request: "GET /a", response: { a_id: "k3J9x2M4", b_id: "k3J9x2M4-q8W1" } },
      { request: "GET /b/k3J9x2M4-q8W1" },
    ],
    ["k3J9x2M4-q8W1 correlated 0 b_id: 1"],
  ],
  "equal numbers of two resources to the source of each": [
    [
      { request: "POST /teas", response: { tea: { id: 7 } } },
      { request: "POST /cups", response: { cup: { id: 7 } } },
      { request: "GET /teas/7" },
      { request: "GET /cups/7" },
    ],
    ["7 correlated 0 id: 2", "7 correlated 1 id: 3"],
  ],
  "no value that the client sent first": [
    [
      { request: "PUT /drafts/q7Zk2Xw9", response: { id: "q7Zk2Xw9" } },
      { request: "GET /drafts/q7Zk2Xw9" },
    ],
    ["q7Zk2Xw9 client's own 0 id: 0, 1"],
  ],
  "a value that a request sent before the response ended as one overlap, without its parts": [
    [
      { request: "GET /a", at: [0, 500], response: { token: UUID } },
      { request: `GET /b?x=${UUID}`, at: [100, 200] },
    ],
    [`${UUID} overlap 0 token: 1`],
  ],
  "a value of a page as an offer, if only JSON is extracted": [
    [
      { request: "GET /a", ...page(`<input type="hidden" name="csrf" value="${TOKEN}">`) },
      { request: "POST /b", form: { csrf: TOKEN } },
    ],
    [`${TOKEN} offered 0 csrf: 1`],
    true,
  ],
  "neither a value after a dollar nor its parts": [
    [
      { request: "GET /a", response: { token: UUID } },
      { request: "POST /b", json: { text: `$${UUID}` } },
    ],
    [`${UUID} after a dollar 0 token: `],
  ],
};

for (const [name, [calls, expected, jsonOnly = false]] of Object.entries(ASSIGNED)) {
  Deno.test(`Assigner assigns ${name}`, () => {
    const { split, values, extractors, session } = readCalls(calls);
    const assigner = new Assigner(session, extractors, new Referers(split), jsonOnly);
    const found = assigner.assign(values).map(({ value, kind, source, uses }) =>
      `${value} ${kind} ${source.call.order} ${source.key}: ${
        uses.map(({ call }) => call.order).join(", ")
      }`
    );
    assertEquals(found, expected);
  });
}

/** Calls, a value, and its sources with the calls that each explains; `*` marks the chosen one. */
const WEIGHED: Record<string, [calls: CaseCall[], value: string, ...sources: string[]]> = {
  "the response to the write that created the value": [
    [
      { request: "GET /teas", response: { items: [{ tea_id: 7 }] } },
      { request: "POST /teas", response: { tea_id: 7 } },
      { request: "GET /teas/7" },
    ],
    "7",
    "1 tea_id: 2 *",
  ],
  "JSON rather than an earlier page": [
    [
      { request: "GET /a", ...page(`<meta name="csrf-token" content="${TOKEN}">`) },
      { request: "GET /b", response: { csrf: TOKEN } },
      { request: "POST /c", headers: { "X-CSRF-Token": TOKEN } },
    ],
    TOKEN,
    "0 csrf-token: 2",
    "1 csrf: 2 *",
  ],
  "a path without a position rather than the first item of a list": [
    [
      { request: "GET /a", response: { items: [{ cart: UUID }] } },
      { request: "GET /b", response: { cart: UUID } },
      { request: `GET /carts/${UUID}` },
    ],
    UUID,
    "0 cart: 2",
    "1 cart: 2 *",
  ],
  "no source of a number of another resource": [
    [{ request: "GET /a", response: { user: { id: 7 } } }, { request: "GET /teas/7" }],
    "7",
  ],
};

for (const [name, [calls, value, ...expected]] of Object.entries(WEIGHED)) {
  Deno.test(`SourceWeigher weighs, and chooseSource chooses ${name}`, () => {
    const { values, extractors, session } = readCalls(calls);
    const shared = values.find((one) => one.value === value)!;
    const weighed = new SourceWeigher(shared, session, extractors).weigh(shared.uses, () => false);
    const chosen = chooseSource(weighed, extractors);
    assertEquals(
      weighed.map((one) => {
        const uses = [...one.scores.keys()].map(({ call }) => call.order).join(", ");
        return `${one.source.call.order} ${one.source.key}: ${uses}${one === chosen ? " *" : ""}`;
      }),
      expected,
    );
  });
}
