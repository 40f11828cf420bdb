import { keptHeaders } from "../../../src/traffic/session/headers.ts";
import { assertEquals } from "@std/assert";
import { random } from "../../../src/base/random.ts";
import { ReceivedResponse } from "../../../src/engine/vu/vu.ts";
import { compileExtractor } from "../../../src/extract/extractors.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { RecordedResponse } from "../../../src/traffic/har/recording.ts";
import { type CaseCall, recordingOf } from "./recorded_case.ts";
import { send, type Variables } from "./replay.ts";

/**
 * Asserts that a plan works with a server whose values differ from the recorded ones. Replaces each
 * key of `fresh` with its value in the recorded responses, and checks that the plan sends the
 * recorded requests with the same replacements.
 */
export function assertFollows(
  plan: Plan,
  requests: readonly Request[],
  calls: readonly CaseCall[],
  fresh: Readonly<Record<string, string>>,
): void {
  const { exchanges } = recordingOf(withFresh(calls, fresh) as CaseCall[]);
  const variables: Variables = new Map();
  for (const [i, { request: expected, response }] of exchanges.entries()) {
    const sent = send(requests[i], plan.defaults!.http!, variables);
    assertEquals(sent.url, expected.url, `URL of call ${i}`);
    const headers = new Map(
      Object.entries(sent.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    for (const { name, value } of keptHeaders(expected)) {
      assertEquals(headers.get(name.toLowerCase()), value, `header ${name} of call ${i}`);
    }
    assertEquals(sent.body, bodyOf(expected.body), `body of call ${i}`);
    for (const extractor of requests[i].extract ?? []) {
      const { take } = compileExtractor(extractor);
      const value = take(receivedOf(response), random(1));
      if (value === undefined) throw new Error(`${extractor.name} of call ${i} finds nothing`);
      variables.set(extractor.name, value);
    }
  }
}

/**
 * Replaces each key of `fresh` with its value wherever it occurs in the strings, member names and
 * numbers of `value`.
 */
function withFresh(value: unknown, fresh: Readonly<Record<string, string>>): unknown {
  const replaced = (text: string) => {
    const recorded = Object.keys(fresh).sort((a, b) => b.length - a.length);
    const pattern = new RegExp(recorded.map((one) => RegExp.escape(one)).join("|"), "g");
    return text.replace(pattern, (found) => fresh[found]);
  };
  if (typeof value === "string") return replaced(value);
  if (typeof value === "number") return fresh[value] === undefined ? value : Number(fresh[value]);
  if (Array.isArray(value)) return value.map((item) => withFresh(item, fresh));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [replaced(name), withFresh(member, fresh)]),
  );
}

function bodyOf(body: ReturnType<typeof recordingOf>["exchanges"][number]["request"]["body"]) {
  switch (body?.kind) {
    case "json":
      return { json: body.value };
    case "form":
      return { form: [...new URLSearchParams(body.text)] };
    case "multipart":
      return { multipart: body.parts.map(({ name, value }) => [name, value]) };
    case "text":
      return body.text;
    default:
      return body;
  }
}

/** Converts a recorded response to a response with a decoded body, as a run receives it. */
export function receivedOf({ status, headers, text = "" }: RecordedResponse): ReceivedResponse {
  const received = new ReceivedResponse(undefined);
  received.response.status = status;
  received.response.headers = headers.flatMap(({ name, value }): [string, string][] =>
    value.split("\n").map((line) => [name.toLowerCase(), line])
  ).filter(([name]) => !/^content-(?:encoding|type)$/.test(name));
  received.response.body = new TextEncoder().encode(text);
  return received;
}
