import { alignWords } from "../correlation/align_text.ts";
import { isRedirect } from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { differingFields } from "../correlation/second_session.ts";
import type { SupervisedVu } from "../engine/flow/scope.ts";
import { callPlaces } from "../outcome/compare_requests.ts";
import { compareEvents } from "../outcome/compare_responses.ts";
import { judgeResponse } from "../outcome/judge_response.ts";
import type { WorkTrace } from "../outcome/work.ts";
import { type RecordedCall, sentRequest, splitSent } from "../traffic/session/recorded_call.ts";
import type { Attempts, CallOutcome } from "./attempts.ts";
import type { PlanDraft } from "./draft.ts";
import type { SentExchange } from "./live_target.ts";
import { findReasons } from "./reasons.ts";
import { type RecordedStep, sendsPassword } from "./recorded_side.ts";
import { type ResponseSnapshot, snapshotEvent, snapshotLive } from "./response_snapshot.ts";
import { bodyTexts, compareWrite, type SentWrite, SHORTEST_VALUE } from "./sent_write.ts";
import type { VariableWatch } from "./variable_watch.ts";
import { secondsToWait } from "./waits.ts";

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
  readonly isOpen?: true;
}

/** An iteration of a user, as far as its earlier calls matter for the next one. */
export interface EarlierCalls {
  readonly known: KnownPairs;
  readonly steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>;
  /** Adds what a request sends: responses may repeat it, and later ones must show it. */
  sends(index: number, write: SentWrite | undefined, pairs: readonly WorkTrace[]): void;
}

export interface JudgingParts {
  readonly draft: PlanDraft;
  readonly attempts: Pick<Attempts, "goodResponses">;
  readonly variables: VariableWatch;
  readonly now: number;
}

/**
 * Compares the last response of a VU, to the request `index`, with the recorded one. `exchanges`
 * are what was sent and received for it, with redirects.
 */
export function judgeCall(
  index: number,
  vu: SupervisedVu,
  user: EarlierCalls,
  exchanges: readonly SentExchange[],
  { draft, attempts, variables, now }: JudgingParts,
): JudgedCall {
  const { recorded } = draft;
  const at = { user: vu.id, iteration: vu.iteration + 1, index, differences: [] };
  const step = recorded.at(index);
  const [first] = exchanges;
  if (first === undefined) return { outcome: { ...at, error: "not sent", unsent: true } };
  const { received } = vu;
  const { error, message } = received.response;
  if (error !== undefined) {
    const unsent = error === "cancelled" || undefined;
    return { outcome: { ...at, error: message ?? error, unsent } };
  }
  const storedCookie = (name: string) => received.storedCookie(name);
  const last = step?.event === undefined
    ? snapshotLive(received.response, storedCookie)
    : snapshotEvent(received, storedCookie);
  const rateLimit = secondsToWait(step?.response, last, now);
  if (step === undefined) return { outcome: { ...at, rateLimit }, live: last };
  const request = splitSent(sentRequest(first.request));
  const write = draft.isWrite(index)
    ? {
      ...compareWrite(
        index,
        request,
        draft,
        user.known,
        variables.changedBefore(index, (variable) => vu.get(variable)),
      ),
      sendsPassword: sendsPassword(step.call),
      setsCookie: exchanges.some(({ response }) =>
        response.headers.some(([name]) => name.toLowerCase() === "set-cookie")
      ),
    }
    : undefined;
  user.sends(index, write, sentPairs(step.call, request));
  // A recorder may have followed a redirect itself and kept only the last response.
  const live = isRedirect(step.response) && exchanges.length > 1
    ? snapshotLive(first.response)
    : last;
  const judged = judgeResponse(step.response, live, user.known, {
    method: step.exchange.request.method,
    isEvent: step.event?.isSelected ?? false,
    repeats: () => recorded.repeats(index),
    goodResponses: () => attempts.goodResponses(index),
    sentTexts: bodyTexts(write?.texts ?? []).map(({ recorded }) => recorded)
      .filter((text) => text.length >= SHORTEST_VALUE),
    named: write === undefined ? () => textsInUrl(step.call) : undefined,
  });
  const outcome = {
    ...at,
    ...judged,
    rateLimit,
    ...(judged.differences.length > 0 &&
      findReasons(index, { live, request: first.request, ...judged }, draft, user.steps)),
    ...(write !== undefined && write.differences.length > 0 && {
      writeDifferences: write.differences,
    }),
  };
  // If the recording selects an event only by its number, a different event may arrive instead.
  const isOther = step.event?.isSelected === false &&
    compareEvents(step.response, live).length > 0;
  const both = { recorded: step.response, live, sentCall: request };
  const evidence = isOther || judged.differences.length > 0 ? undefined : { step, last };
  return { outcome, live: last, compared: both, evidence };
}

function textsInUrl(call: RecordedCall): string[] {
  return [...callPlaces(call)]
    .flatMap(([place, { text }]) => /^(?:path|query) /.test(place) ? [text] : []);
}

/**
 * Returns the values that a request sends in place of recorded ones, such as a login from a data
 * file or `${unique}`. Echoes of them in responses then do not count as differences.
 */
function sentPairs(recorded: RecordedCall, sent: RecordedCall): WorkTrace[] {
  return differingFields(recorded, sent).flatMap((
    { field, live },
  ) => [{ recorded: field.value, live }, ...alignWords(field.value, live)]);
}
