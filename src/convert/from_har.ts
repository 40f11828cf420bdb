import { InputError } from "../base/errors.ts";
import { formatThousands, plural } from "../base/format.ts";
import { createRedactor, secretFinder } from "../base/redactor.ts";
import { clientMade } from "./har/client_made.ts";
import { correlate, type Correlation } from "../correlation/correlate.ts";
import { recordedStep } from "../correlation/shared_values.ts";
import { explain } from "../correlation/explanation.ts";
import type { Replacements } from "../correlation/replace.ts";
import { countSent, describeSent, requestNumbers } from "../plan/kinds/list_requests.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { findMainOrigin } from "../traffic/har/origins.ts";
import { type Exchange, headerValue, type Recording } from "../traffic/har/recording.ts";
import {
  isSelected,
  type KeptCalls,
  keptCalls,
  type Redirects,
  sortRedirects,
  withSockets,
} from "../traffic/session/kept_calls.ts";
import { requestNames } from "../traffic/session/operation_name.ts";
import {
  callNumberer,
  isMessage,
  type RecordedCall,
  splitCalls,
} from "../traffic/session/recorded_call.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { ValueIndex, withShown } from "../traffic/session/value_index.ts";
import type { Converted } from "./converted.ts";
import { buildPlan, isPublic, observedSeconds, publicCondition } from "./har/build_plan.ts";
import type { MaskValues } from "./har/checks.ts";
import { clientIds, idReplacements } from "./har/client_ids.ts";
import type { HarFacts, HarOptions, NoteFacts, SessionFacts } from "./har/facts.ts";
import { type OpenValue, openValues, planNotes } from "./har/plan_notes.ts";
import { planStreams } from "./har/plan_streams.ts";
import { findPolls } from "./har/polls.ts";
import { leftOutNotes, leftOutSources, missingNotes } from "./har/recording_notes.ts";
import { againNotes, pairRecordings } from "./har/second_recording.ts";
import {
  distinctSecrets,
  findSecrets,
  isMovable,
  type Secret,
  secretReplacements,
  secretsByName,
  shownFields,
} from "./har/secrets.ts";
import { secretNotes, userNotes } from "./har/user_notes.ts";
import { HAR_ACTIONS, type Note, type NoteCode } from "./notes/notes.ts";

/** The result of converting a HAR to a plan. */
export interface HarConversion extends Converted {
  /** What was decided for each dynamic-looking value, with `HarOptions.explain`. */
  readonly explanation: readonly string[];
  readonly openValues: readonly OpenValue[];
}

/**
 * Converts a HAR to a plan with a scenario `recorded`, which sends each kept call once, in order,
 * and extracts server-generated values. `source` is the input in messages. Throws InputError if
 * there is no call to send.
 */
export function convertHar(
  recording: Recording,
  options: HarOptions,
  source = "the HAR",
): HarConversion {
  const kept = withSockets(keptCalls(recording.exchanges, options), options);
  const mainOrigin = findMainOrigin(kept.exchanges);
  if (mainOrigin === undefined) throw new InputError(nothingLeft(recording, kept), { source });
  const calls = splitCalls(kept.exchanges);
  const paired = options.second && pairRecordings(
    calls,
    withSockets(keptCalls(options.second.exchanges, options), options).exchanges,
    mainOrigin.origin,
  );
  const steps = paired?.steps ?? calls.map(recordedStep);
  // With a second recording, evidence decides.
  const jsonOnly = paired === undefined && options.jsonOnly === true;
  const correlation = correlate(steps, {
    jsonOnly,
    explain: options.explain ?? false,
  });
  const leftOut = leftOutSources(recording, calls, correlation);
  const needed = jsonOnly ? [] : neededAssets(leftOut, kept);
  if (needed.length > 0) {
    const { keepStatic } = options;
    const urls = typeof keepStatic === "object" ? [...keepStatic, ...needed] : needed;
    return convertHar(recording, { ...options, keepStatic: new Set(urls) }, source);
  }
  const ids = clientIds(
    calls,
    recording.exchanges,
    correlation.replacements,
    correlation.variables.map(({ extractor }) => extractor),
  );
  const withIds = correlation.replacements.with(idReplacements(ids));
  const made = paired && clientMade(steps, withIds, ids.map(({ name }) => name));
  const generated = withIds.with(made?.replacements ?? []);
  const secrets = findSecrets(calls, generated, options.secrets);
  const extractors = Map.groupBy(correlation.variables, ({ candidate }) => candidate.producer);
  const session: SessionFacts = {
    recording,
    kept,
    leftOut,
    options,
    calls,
    mainOrigin,
    correlation,
    extractorsOf: (call) => (extractors.get(call) ?? []).map(({ extractor }) => extractor),
    ids,
    redirects: unfollowRedirects(recording, kept, options, calls, correlation),
    mask: changingValueMask(calls, correlation),
    hide: createRedactor(secretsByName(secrets, recording.exchanges).keys()),
  };
  const { plan, facts } = planWithSecrets(session, generated, secrets);
  const numbered = callNumberer(calls, requestNumbers(plan));
  const nameOf = (call: RecordedCall) => numbered(call, facts.requestNameOf(call));
  const notes = harNotes({ ...facts, nameOf });
  const inBoth = paired && `${steps.filter(({ again }) => again !== undefined).length} of ` +
      plural(calls.length, "call");
  const compared = inBoth === undefined ? "" : "; compared with the second recording: " +
    `${inBoth} in both, ${made?.values.length ?? 0} generated`;
  return {
    plan,
    notes: [
      ...notes,
      ...(paired && made ? againNotes(paired, correlation.variables, made, nameOf) : []),
    ],
    header: headerLines(calls, notes, plan, inBoth),
    summary: summarize(facts, plan) + compared,
    explanation: options.explain ? explain(calls, correlation, nameOf).map(facts.hide) : [],
    openValues: paired === undefined ? openValues(correlation) : [],
  };
}

/** URLs of static assets that no browser keeps, with a value that is sent later. */
function neededAssets(leftOut: SessionFacts["leftOut"], { dropped }: KeptCalls): string[] {
  const assets = new Set(dropped.get("static assets"));
  return leftOut.map(({ exchange }) => exchange)
    .filter((exchange) => assets.has(exchange) && isUncached(exchange))
    .map(({ request }) => request.url);
}

/** Puts `0` for values that the plan extracts or could, and typed text with spaces. */
function changingValueMask(
  calls: readonly RecordedCall[],
  correlation: Correlation,
): MaskValues {
  // Most conversions write no checks.
  let index: ValueIndex | undefined;
  return (text) => {
    index ??= indexChangingValues(calls, correlation);
    return withShown(text, index.find(text).map((found) => ({ ...found, text: "0" })));
  };
}

function indexChangingValues(
  calls: readonly RecordedCall[],
  { variables, offers }: Correlation,
): ValueIndex {
  const index = new ValueIndex();
  for (const { value } of [...variables, ...offers]) index.add(value);
  for (const { fields } of calls) {
    for (const { kind, value } of fields) {
      if (IN_BODY.has(kind) && value.length <= 200 && value.includes(" ")) index.add(value);
    }
  }
  return index;
}

/** Reports whether a browser may not keep the response, so that each session requests it. */
function isUncached({ response: { headers } }: Exchange): boolean {
  const control = headerValue(headers, "cache-control") ?? "";
  if (/\bno-store\b/i.test(control)) return true;
  if (/\bmax-age\s*=\s*"?0*[1-9]/i.test(control)) return false;
  return /\bprivate\b/i.test(control) ||
    !["etag", "last-modified", "expires"].some((name) => headerValue(headers, name));
}

/** Keeps credentials in all places if no expression can replace them in one. */
function planWithSecrets(
  session: SessionFacts,
  generated: Replacements,
  secrets: readonly Secret[],
): { plan: Plan; facts: HarFacts } {
  const facts = planFacts(session, generated, secrets);
  const plan = buildPlan(facts);
  if (!session.options.secrets) return { plan, facts };
  const moved = distinctSecrets(secrets.filter(isMovable)).map(({ value }) => value);
  const left = new Set(secretFinder(moved)(JSON.stringify(plan)).map(({ secret }) => secret));
  if (left.size === 0) return { plan, facts };
  const fixed = secrets.map((secret) =>
    left.has(secret.value) ? { ...secret, isFixed: true } : secret
  );
  return planWithSecrets(session, generated, fixed);
}

function planFacts(
  session: SessionFacts,
  generated: Replacements,
  secrets: readonly Secret[],
): HarFacts {
  const { options, calls, extractorsOf, mask, hide } = session;
  const known = options.secrets ? generated.with(secretReplacements(secrets)) : generated;
  const { polls, times } = findPolls(calls, {
    replacements: known,
    extractorsOf,
    isPublic: (condition) => isPublic(condition, hide),
  });
  const names = requestNames(calls, shownFields(generated.with(times), secrets));
  return {
    ...session,
    secrets,
    replacements: known.with(times),
    streams: planStreams(calls, extractorsOf, (text) => publicCondition(text, mask, hide)),
    polls,
    requestNameOf: ({ order }) => names[order],
  };
}

function nothingLeft({ skipped }: Recording, { dropped }: KeptCalls): string {
  const reasons = [...dropped].map(([kind, { length }]) => `${kind}: ${formatThousands(length)}`);
  if (skipped.length > 0) {
    const [{ index, reason }] = skipped;
    const entries = formatThousands(skipped.length);
    reasons.push(`unreadable: ${entries}, the first is entry ${index + 1}: ${reason}`);
  }
  const found = reasons.length === 0
    ? "it contains no calls"
    : `it contains no call to send (${reasons.join("; ")})`;
  return `cannot create a plan from the HAR: ${found}; ` +
    "expected at least one HTTP call that is not a static asset and has a response";
}

/** The plan stops at a redirect to an excluded call, or whose response has a value to extract. */
function unfollowRedirects(
  { exchanges }: Recording,
  kept: KeptCalls,
  options: HarOptions,
  calls: readonly RecordedCall[],
  { variables }: Correlation,
): Redirects {
  const sent = new Set(kept.exchanges.map(({ index }) => index));
  const urls = new Set(
    exchanges.filter(({ index }) => !sent.has(index)).map(({ request }) => request.url),
  );
  const producers = new Set(variables.map(({ candidate }) => candidate.producer));
  return sortRedirects(
    calls,
    (call, target) => urls.has(target) || !isSelected(target, options) || producers.has(call),
  );
}

function summarize(
  { recording, calls, correlation: { variables, offers } }: HarFacts,
  { scenarios }: Plan,
): string {
  // As in `verify`, a message that the browser received is not a call.
  const replayed = calls.filter(({ exchange }) => exchange.socketPart !== "receive");
  const entries = recording.exchanges.length + recording.skipped.length;
  const recorded = entries + replayed.filter(isMessage).length;
  const sent = countSent(Object.values(scenarios).map(({ flow }) => flow));
  const verb = sent.requests + sent.messages === 1 ? "replays" : "replay";
  return `${describeSent(sent)} ${verb} ${formatThousands(replayed.length)} of ${
    plural(recorded, "recorded call")
  } over ` +
    `${observedSeconds(calls)} s; ${plural(variables.length, "value")} correlated` +
    (offers.length === 0 ? "" : `, ${offers.length} more found outside JSON bodies`);
}

function harNotes(facts: NoteFacts): Note[] {
  return [leftOutNotes, planNotes, secretNotes, missingNotes, userNotes]
    .flatMap((notesOn) => [...notesOn(facts)])
    .filter((note) => note !== undefined)
    .map((note) => ({ ...note, message: facts.hide(note.message) }));
}

/** How the plan was created, what it does, and what to do about each kind of note. */
function headerLines(
  calls: readonly RecordedCall[],
  notes: readonly Note[],
  { thresholds }: Plan,
  inBoth: string | undefined,
): string[] {
  const counts = new Map<NoteCode, number>();
  for (const { code } of notes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const actions = [...counts].flatMap(([code, count]) => {
    const action = HAR_ACTIONS[code];
    if (action === undefined) return [];
    return [`- ${code}${count > 1 ? ` (${formatThousands(count)})` : ""}: ${action}`];
  });
  const requests = calls.filter((call) => !isMessage(call)).length;
  return [
    `Created by rehearse convert from a HAR of ${plural(requests, "request")}.`,
    ...(inBoth === undefined ? [] : [
      `A second recording of the session, which contains ${inBoth}, shows which values differ.`,
    ]),
    "It replays the recorded session once, with one user. When the session passes, give the scenario",
    "a realistic load.",
    "",
    "What to do before you put load on a server (run convert again for details):",
    ...actions,
    ...(thresholds === undefined ? ["- checks, thresholds: define when a run passes"] : []),
  ];
}
