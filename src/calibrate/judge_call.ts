import { isMap } from "../base/exact_number.ts";
import { type ComparedResponse, isRedirect } from "../comparison/compared_response.ts";
import {
  type ResponseSnapshot,
  snapshotEvent,
  snapshotLive,
} from "../comparison/response_snapshot.ts";
import type { SupervisedVu } from "../engine/flow/scope.ts";
import { callPlaces } from "../outcome/compare_requests.ts";
import { compareEvents } from "../outcome/compare_responses.ts";
import { judgeResponse } from "../outcome/judge_response.ts";
import { headerValue } from "../traffic/har/recording.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { Attempts, CallOutcome } from "./attempts.ts";
import type { PlanDraft } from "./draft.ts";
import { usesVariable } from "./literal_edit.ts";
import type { SentExchange } from "./live_target.ts";
import { findReasons } from "./reasons.ts";
import type { RecordedStep } from "./recorded_side.ts";
import { bodyTexts, type SentCall, type SentWrite } from "./sent_write.ts";
import type { LiveSteps, UserTexts } from "./trial.ts";

export interface JudgedCall {
  readonly outcome: CallOutcome;
  readonly evidence?: { readonly step: RecordedStep; readonly last: ResponseSnapshot };
  /** The recorded and the live response that were compared, and the request that was sent. */
  readonly compared?: {
    readonly recorded: ResponseSnapshot;
    readonly live: ResponseSnapshot;
    readonly sentCall: RecordedCall;
  };
  readonly live?: ResponseSnapshot;
  /** True if a `retry` step repeats the request, so that the call has no outcome yet. */
  readonly isPending?: true;
}

export interface JudgingParts {
  readonly draft: PlanDraft;
  readonly attempts: Pick<Attempts, "goodResponses">;
  readonly now: number;
}

/**
 * Compares the last response of a VU, to the request `index`, with the recorded one. `exchanges`
 * are what was sent and received for it, with redirects. `sent` is what `readSentCall` returns;
 * `user.known` must contain its pairs.
 */
export function judgeCall(
  index: number,
  vu: SupervisedVu,
  user: LiveSteps & Pick<UserTexts, "known">,
  exchanges: readonly SentExchange[],
  sent: SentCall | undefined,
  parts: JudgingParts,
): JudgedCall {
  const { draft, now } = parts;
  const at = { user: vu.id, iteration: vu.iteration + 1, index, differences: [] };
  const [first] = exchanges;
  if (first === undefined) {
    const error = describeMissingValue(index, vu, draft) ?? "not sent";
    return { outcome: { ...at, error, unsent: true } };
  }
  const { error, message } = vu.received.response;
  if (error !== undefined) {
    const unsent = error === "cancelled" || undefined;
    return { outcome: { ...at, error: message ?? error, unsent } };
  }
  const step = draft.recorded.at(index);
  const last = snapshotLast(vu, step);
  const rateLimit = secondsToWait(step?.response, last, now);
  if (step === undefined || sent === undefined) {
    return { outcome: { ...at, rateLimit }, live: last };
  }
  const { call: sentCall, write } = sent;
  // A recorder may have followed a redirect itself and kept only the last response.
  const live = isRedirect(step.response) && exchanges.length > 1
    ? snapshotLive(first.response)
    : last;
  const judged = judgeResponse(step.response, live, user.known, factsOf(index, write, parts));
  const isDifferent = judged.differences.length > 0;
  const outcome = {
    ...at,
    ...judged,
    rateLimit,
    ...(isDifferent &&
      findReasons(index, { live, request: first.request, ...judged }, draft, user.steps)),
    ...(write !== undefined && write.differences.length > 0 && {
      writeDifferences: write.differences,
    }),
  };
  return {
    outcome,
    live: last,
    compared: { recorded: step.response, live, sentCall },
    evidence: isDifferent || isOtherEvent(step, live) ? undefined : { step, last },
  };
}

/** Describes a variable without a value, which is why a request is not sent. */
function describeMissingValue(
  index: number,
  vu: SupervisedVu,
  draft: PlanDraft,
): string | undefined {
  for (const i of draft.given.earlier(index).toReversed()) {
    const missing = draft.at(i).extract
      ?.find(({ name }) =>
        vu.get(name) === undefined && draft.values.usesOf(i, name).consumers.includes(index)
      );
    if (missing !== undefined) return `call ${i + 1} found no value for \`${missing.name}\``;
  }
  return undefined;
}

/** Minimum length of a sent text that a complaint may name, in UTF-16 code units. */
const SHORTEST_SENT = 4;

function factsOf(
  index: number,
  write: SentWrite | undefined,
  { draft, attempts }: JudgingParts,
): Parameters<typeof judgeResponse>[3] {
  const { recorded } = draft;
  const { exchange, event, call } = recorded.at(index)!;
  return {
    method: exchange.request.method,
    isEvent: event?.isSelected ?? false,
    repeats: () => recorded.repeats(index),
    goodResponses: () => attempts.goodResponses(index),
    sentTexts: bodyTexts(write?.texts ?? []).map(({ recorded }) => recorded)
      .filter((text) => text.length >= SHORTEST_SENT),
    named: write === undefined ? () => textsInUrl(call) : undefined,
    typed: () => recorded.typedIn(draft.given.earlier(index).filter((i) => draft.isWrite(i))),
    hasResults: (items) =>
      write === undefined ? requestsCreated(index, draft) : sendsList(call, items),
  };
}

/** Reports whether a read has a value in its URL that the plan got from a write, such as a job. */
function requestsCreated(index: number, draft: PlanDraft): boolean {
  const { url } = draft.at(index);
  return draft.given.earlier(index).some((i) =>
    draft.isWrite(i) &&
    draft.at(i).extract?.some(({ name }) =>
      draft.values.usesOf(i, name).consumers.includes(index) && usesVariable({ url }, name)
    )
  );
}

/** Reports whether a body is a list of `items` items, such as actions, or has such a member. */
function sendsList({ body }: RecordedCall, items: number): boolean {
  if (body?.kind !== "json") return false;
  const { tree } = body;
  return [tree, ...isMap(tree) ? Object.values(tree) : []].some((value) =>
    Array.isArray(value) && value.length === items
  );
}

/**
 * Returns the last response of a VU. For a stream of events, its text is that of the last event.
 */
function snapshotLast({ received }: SupervisedVu, step: RecordedStep | undefined) {
  const storedCookie = (name: string) => received.storedCookie(name);
  return step?.event === undefined
    ? snapshotLive(received.response, storedCookie)
    : snapshotEvent(received, storedCookie);
}

/** Reports whether a stream ended with another event than recorded: it selects only by number. */
function isOtherEvent({ event, response }: RecordedStep, live: ResponseSnapshot): boolean {
  return event?.isSelected === false && compareEvents(response, live).length > 0;
}

/** Maximum time to wait because of a rate limit or an overload, in seconds. */
const LONGEST_WAIT = 120;
const USUAL_WAIT = 16;

/** Returns the seconds to wait if the server limits the rate. `now` is in Unix milliseconds. */
function secondsToWait(
  recorded: Pick<ComparedResponse, "status"> | undefined,
  live: Pick<ComparedResponse, "status" | "headers">,
  now: number,
): number | undefined {
  if (live.status !== 429 && live.status !== 503) return undefined;
  if (recorded?.status === live.status) return undefined;
  const stated = headerValue(live.headers, "retry-after") ?? "";
  const seconds = /^\d+$/.test(stated.trim())
    ? Number(stated)
    : Math.ceil((Date.parse(stated) - now) / 1_000);
  return Math.min(LONGEST_WAIT, seconds >= 0 ? seconds : USUAL_WAIT);
}

function textsInUrl(call: RecordedCall): string[] {
  return [...callPlaces(call)]
    .flatMap(([place, { text }]) => /^(?:path|query) /.test(place) ? [text] : []);
}
