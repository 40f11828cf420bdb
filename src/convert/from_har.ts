import { InputError } from "../base/errors.ts";
import { plural } from "../base/format.ts";
import { mostCommonOrigin } from "../traffic/har/http_origin.ts";
import type { Exchange, Recording } from "../traffic/har/recording.ts";
import { isOriginKept, keptCalls } from "../traffic/session/kept_calls.ts";
import { keptHeaders } from "../traffic/session/kept_headers.ts";
import {
  callName,
  type RecordedCall,
  requestName,
  splitCalls,
} from "../traffic/session/recorded_call.ts";
import { type Redirects, sortRedirects } from "../traffic/session/redirects.ts";
import type { Converted } from "./converted.ts";
import { correlate, type Correlation } from "./correlate/correlate.ts";
import { explain } from "./correlate/explain.ts";
import { buildPlan, observedSeconds } from "./har/build_plan.ts";
import type { HarFacts } from "./har/facts.ts";
import { findSecrets, secretReplacements, secretTexts } from "./har/find_secrets.ts";
import { harNotes } from "./har/har_notes.ts";
import type { HarOptions } from "./har/har_options.ts";
import { headerLines } from "./har/header_lines.ts";
import { secretHider, shownFields } from "./har/hidden.ts";
import { leftOutValues } from "./har/left_out_values.ts";

/** Result of converting a HAR to a plan. */
export interface HarConversion extends Converted {
  /**
   * Lines that explain the decision on each dynamic-looking value. Empty unless `HarOptions.explain` is
   * set.
   */
  readonly explanation: readonly string[];
}

/**
 * Converts a HAR to a plan with one scenario, `recorded`, that sends each kept call once, in the
 * recorded order. The plan extracts server-generated values from the live responses instead of sending
 * the recorded ones. `source` names the input in error messages. Throws InputError if the recording has
 * no call to send.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readHar } from "../traffic/har/read.ts";
 * import { convertHar } from "./from_har.ts";
 *
 * const entry = {
 *   startedDateTime: "2026-11-21T10:00:00.000Z",
 *   time: 5,
 *   request: { method: "GET", url: "https://shop.example/products", headers: [], cookies: [] },
 *   response: { status: 200, headers: [], cookies: [], content: { mimeType: "text/html" } },
 * };
 * const har = JSON.stringify({ log: { version: "1.2", entries: [entry] } });
 * const recording = await readHar([new TextEncoder().encode(har)], "session.har");
 *
 * const { plan } = convertHar(recording, {});
 * assertEquals(plan.defaults?.http?.base_url, "https://shop.example");
 * assertEquals(plan.scenarios.recorded.flow[0].request?.url, "/products");
 * ```
 */
export function convertHar(
  recording: Recording,
  options: HarOptions,
  source = "the HAR",
): HarConversion {
  const kept = keptCalls(recording.exchanges, options.origins);
  const baseUrl = mostCommonOrigin(kept.exchanges.map(({ request }) => request.url));
  if (baseUrl === undefined) throw new InputError(nothingLeft(recording, options), { source });
  const calls = splitCalls(kept.exchanges, keptHeaders);
  const correlation = correlate(calls, {
    sources: options.correlate ?? new Set(),
    explain: options.explain ?? false,
  });
  const secrets = findSecrets(calls, correlation.replacements);
  const replacements = options.secrets
    ? correlation.replacements.with(secretReplacements(secrets))
    : correlation.replacements;
  const hide = secretHider(secretTexts(secrets));
  const sent = new Set(kept.exchanges);
  const leftOut = recording.exchanges.filter((exchange) => !sent.has(exchange));
  const redirects = unfollowRedirects(leftOut, options, calls, correlation);
  const shown = shownFields(replacements, secrets);
  const requestNameOf = (call: RecordedCall) => requestName(call, shown);
  const nameOf = (call: RecordedCall) => callName(call, shown);
  const facts: HarFacts = {
    recording,
    kept,
    options,
    calls,
    baseUrl,
    correlation,
    replacements,
    secrets,
    redirects,
    leftOut: leftOutValues(leftOut, calls, correlation),
    hide,
    requestNameOf,
    nameOf,
  };
  const notes = harNotes(facts);
  return {
    plan: buildPlan(facts),
    notes,
    header: headerLines(calls.length, notes),
    summary: summarize(facts),
    explanation: options.explain ? explain(calls, correlation, nameOf).map(hide) : [],
  };
}

function nothingLeft({ exchanges, skipped }: Recording, { origins }: HarOptions): string {
  const unread = skipped.length > 0 ? ` (${skipped.length} more could not be read)` : "";
  const target = origins === undefined ? "" : ` to ${origins.join(", ")}`;
  const found = exchanges.length + skipped.length === 0
    ? "it contains no calls"
    : `found ${plural(exchanges.length, "call")}${unread}, but none to send${target}`;
  return `cannot create a plan from the HAR: ${found}; ` +
    "expected at least one HTTP call that is not a static asset and has a response";
}

/**
 * Decides for each recorded redirect whether the plan follows it. The plan does not follow a redirect to
 * an excluded call, or one from whose response it extracts a value.
 */
function unfollowRedirects(
  leftOut: readonly Exchange[],
  { origins }: HarOptions,
  calls: readonly RecordedCall[],
  { variables }: Correlation,
): Redirects {
  const urls = new Set(leftOut.map(({ request }) => request.url));
  const producers = new Set(variables.map(({ candidate }) => candidate.producer));
  return sortRedirects(
    calls,
    (call, target) => urls.has(target) || !isOriginKept(target, origins) || producers.has(call),
  );
}

function summarize({ recording, calls, correlation: { variables, offers } }: HarFacts): string {
  const sum = recording.exchanges.length + recording.skipped.length;
  return `${plural(calls.length, "request")} of ${plural(sum, "recorded call")} over ` +
    `${observedSeconds(calls)} s; ${plural(variables.length, "value")} correlated, ` +
    `${offers.length} more found outside JSON bodies`;
}
