import { lacksBody } from "../traffic/har/entry.ts";
import { CONTENT_KINDS } from "../outcome/content.ts";
import { describeDifference } from "../outcome/difference.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { requestName, socketName } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { recordedEntry } from "../plan/text/metrics.ts";
import { isText } from "../traffic/har/body_bytes.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { isEventStream } from "../traffic/har/socket_messages.ts";
import { keptCalls } from "../traffic/session/kept_calls.ts";
import { changesData } from "../verify/recorded_exchanges.ts";
import { type Attempts, type CallOutcome, isAsRecorded, type Round } from "./attempts.ts";
import type { RateLimitWaits } from "./budget.ts";
import type {
  Calibration,
  CallContent,
  ReportedExtraction,
  RoundReport,
  SocketFailure,
  Uncompared,
} from "./calibration.ts";
import {
  type CalibrationLog,
  type ExtractedRepair,
  listKeptExtractions,
  listStillRemoved,
  type ReceivedRepair,
} from "./trial.ts";
import type { ComparedMessages } from "./messages.ts";
import { listSentValues, ValueOrigins } from "./lost_bodies.ts";
import type { NeededPause, PauseTrials } from "./pause_trial.ts";
import type { PlanDraft } from "./draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { Extractions } from "./extractions.ts";
import type { SearchTrials, UniqueTrials } from "./unique_trial.ts";
import type { VariableWatch } from "./variable_watch.ts";
import { isGood, isGoodExcept, judgeCalls, wasGoodAtFirst } from "./verdicts.ts";

/** What a calibration found out. */
export interface CalibrationParts {
  readonly draft: PlanDraft;
  readonly recorded: RecordedSide;
  readonly attempts: Attempts;
  readonly rounds: readonly (Round & { readonly report: RoundReport })[];
  readonly last: Round;
  readonly extractions: Extractions;
  readonly received: readonly ReceivedRepair[];
  readonly unique: UniqueTrials;
  readonly searches: SearchTrials;
  readonly variables: VariableWatch;
  readonly pauses: PauseTrials;
  /** Recorded pauses that the last round inserted. */
  readonly made: readonly NeededPause[];
  readonly messages: readonly ComparedMessages[];
  readonly missing: Calibration["missing"];
  readonly uncompared: readonly Uncompared[];
  readonly limits: RateLimitWaits;
  readonly log: CalibrationLog;
  /** True if the last round ran with all users and iterations and changed nothing. */
  readonly isComplete: boolean;
}

/** The part of a calibration's result that follows from its attempts and edits. */
export type CalibrationFindings = Omit<
  Calibration,
  "target" | "kept" | "interrupted" | "overload" | "patienceMs" | "rateLimit" | "writes" | "moved"
>;

/** Summarizes what a calibration found out, with a verdict for each call. */
export function reportOn(parts: CalibrationParts): CalibrationFindings {
  const { draft, recorded, attempts, rounds, messages, variables, missing } = parts;
  const outcomes = attempts.outcomes(parts.last);
  const byCall = Map.groupBy(outcomes, ({ index }) => index);
  const kept = listKeptExtractions(parts.extractions.repairs, (index) => draft.at(index));
  const extracted = kept.map((repair) => reportExtraction(repair, draft));
  const unique = [...parts.unique.repairs, ...parts.searches.repairs]
    .filter(({ template, source }) => draft.sends(source, template));
  const pauses = rounds.at(-1)!.load === "one user"
    ? []
    : parts.made.filter(({ index }) =>
      parts.pauses.isConfirmed(index) && byCall.get(index)?.every(isAsRecorded)
    );
  const repaired = new Set([
    ...pauses.map(({ index }) => index),
    ...[...extracted, ...parts.received].flatMap(({ consumers }) => consumers),
    ...unique.map(({ source }) => source),
  ]);
  const { random, open } = attempts;
  const judge = (round: Round, before: readonly Round[]) => {
    const good = goodCalls(attempts, before);
    return judgeCalls({
      outcomes: attempts.outcomes(round),
      draft,
      recorded,
      random,
      isRepaired: (index) => repaired.has(index),
      wasGood: (index) => good.has(index),
    });
  };
  const verdicts = judge(parts.last, rounds.slice(0, -1));
  const lockStep = rounds.at(-1)!.load === "staggered"
    ? judge(rounds.at(-2)!, rounds.slice(0, -2))
    : [];
  const socketFailure = findSocketFailure(parts);
  const isWhole = parts.isComplete && socketFailure === undefined && missing.length === 0 &&
    messages.every(({ refused }) => refused === 0);
  const conflicts = lockStep.filter((call) => {
    const staggered = verdicts.find(({ index }) => index === call.index);
    return wasGoodAtFirst(call) && staggered !== undefined && isGood(staggered);
  }).map(({ index, user, iteration, differences }) => ({ index, user, iteration, differences }));
  const mayDisturb = parts.last.load !== "one user" &&
    (conflicts.length > 0 || verdicts.some(wasGoodAtFirst));
  return {
    proven: isWhole && verdicts.every(isGood),
    ...(mayDisturb && hasRecordedLogin(draft) && { sharedLogin: true }),
    exceptState: isWhole && open.length === 0 &&
      isGoodExcept(verdicts, ({ kind }) => kind === "state"),
    calls: verdicts.map((verdict) => {
      const { index } = verdict;
      const entry = draft.entryOf(index);
      const content = summarizeContent(byCall.get(index) ?? []);
      return {
        ...verdict,
        ...(content !== undefined && { content }),
        name: requestName(draft.at(index)),
        scenario: draft.scenarioAt(index),
        ...(entry !== undefined && { entry }),
      };
    }),
    ...(socketFailure !== undefined && { socketFailure }),
    messages,
    missing,
    uncompared: parts.uncompared,
    conflicts,
    rounds: rounds.map(({ report }) => report),
    extracted,
    received: parts.received.map(({ extractor: { name: _, ...extractor }, ...rest }) => ({
      ...rest,
      extractor,
    })),
    unique,
    pauses,
    possiblePauses: listPossiblePauses(parts, pauses, socketFailure),
    removed: listStillRemoved(
      variables.removed,
      [...kept, ...parts.received],
      (index, other) => draft.areTogether(index, other),
    ),
    constants: variables.constants.map(({ variable, value, source, numeric }) => ({
      variable,
      value,
      source,
      numeric,
    })),
    explanation: [
      ...parts.log.lines,
      ...random.map(({ index, succeeded, attempts }) =>
        `call ${index + 1}: fails at random: succeeded in ${succeeded} of ${attempts} attempts ` +
        "with the same plan"
      ),
    ],
  };
}

function hasRecordedLogin(draft: PlanDraft): boolean {
  return Array.from({ length: draft.size }, (_, index) => draft.at(index)).some((request) =>
    requestTexts(request).some(({ kind, name, template }) =>
      /^(?:form|json|multipart)$/.test(kind) && /pass|pwd/i.test(name) &&
      !template.includes("${data.")
    )
  );
}

/**
 * Reports whether another user's requests may explain all differences, so that a round with
 * staggered users may prove that the plan works.
 */
export function mayBeConflict(
  { calls, socketFailure, messages }: Pick<Calibration, "calls" | "socketFailure" | "messages">,
): boolean {
  return socketFailure === undefined && messages.every(({ refused }) => refused === 0) &&
    isGoodExcept(calls, wasGoodAtFirst);
}

/** Returns the calls whose responses in one of the rounds all matched the recording. */
export function goodCalls(attempts: Attempts, rounds: readonly Round[]): Set<number> {
  return new Set(
    rounds.flatMap((round) =>
      [...Map.groupBy(attempts.outcomes(round), ({ index }) => index)]
        .flatMap(([index, own]) => own.every(isAsRecorded) ? [index] : [])
    ),
  );
}

/**
 * Returns the first round with a failed WebSocket. Skips rounds that repaired the plan or omitted
 * pauses, and rounds in which calls failed, which need their own explanation. Never skips the last round.
 */
function findSocketFailure(
  { rounds, attempts }: Pick<CalibrationParts, "rounds" | "attempts">,
): SocketFailure | undefined {
  const found = rounds.find((round, i) => {
    const { sockets, repairs, alternated } = round.report;
    if (sockets === undefined || sockets.failed === 0) return false;
    const isExplained = repairs > 0 || alternated ||
      !attempts.outcomes(round).every(isAsRecorded);
    return i === rounds.length - 1 || !isExplained;
  });
  return found && { ...found.report.sockets!, round: found.name };
}

/**
 * Returns the recorded pauses whose absence may explain failures. These are pauses before calls
 * that failed only once or at random without the pause, and before calls that were not followed by
 * an expected WebSocket message. Omits `confirmed`, the pauses that calls are known to need.
 */
function listPossiblePauses(
  { attempts, rounds, pauses }: CalibrationParts,
  confirmed: readonly NeededPause[],
  socketFailure: SocketFailure | undefined,
): NeededPause[] {
  const good = goodCalls(attempts, rounds.slice(0, -1));
  const failures = [
    ...attempts.random.filter(({ pause, error }) => pause !== undefined && error === undefined),
    ...attempts.open.filter(({ index, error }) => error === undefined && good.has(index))
      .map(({ index, differences }) => ({
        index,
        differences: differences.map(describeDifference),
      })),
    ...(socketFailure?.early ?? []).map(({ index, error }) => ({ index, differences: [error] })),
  ];
  const firsts = [...Map.groupBy(failures, ({ index }) => index).values()].map(([first]) => first);
  return firsts.flatMap(({ index, differences }) => {
    const ms = pauses.possible(index);
    if (ms === undefined || confirmed.some((pause) => pause.index === index)) return [];
    return [{ index, ms, differences }];
  }).sort((a, b) => a.index - b.index);
}

function reportExtraction(
  { extractor: { name: _, ...extractor }, ...repair }: ExtractedRepair,
  draft: PlanDraft,
): ReportedExtraction {
  const { source, variable } = repair;
  return {
    ...repair,
    extractor,
    ...draft.usesOf(source, variable),
  };
}

/** Maximum number of content differences per call. */
const MOST_CONTENT = 8;

/** Summarizes the content of the responses to one call. Returns undefined if nothing differs. */
export function summarizeContent(outcomes: readonly CallOutcome[]): CallContent | undefined {
  const compared = outcomes.flatMap(({ content }) => content ?? []);
  const byPlace = Map.groupBy(
    compared.flatMap(({ differences }) => differences),
    // Several elements of a page have the same place, but differ in their recorded text.
    ({ kind, place, recorded }) => JSON.stringify([kind, place, recorded]),
  );
  if (byPlace.size === 0) return undefined;
  const found = [...byPlace.values()].map(([{ path: _, ...first }, ...others]) => ({
    ...first,
    responses: Math.min(compared.length, 1 + others.length),
  })).sort((a, b) => CONTENT_KINDS.indexOf(a.kind) - CONTENT_KINDS.indexOf(b.kind));
  // One response may list a place that another response only counts.
  const counts = compared.map(({ differences, more }) => differences.length + more);
  const differences = found.slice(0, MOST_CONTENT);
  return {
    responses: compared.length,
    differences,
    more: Math.max(found.length, ...counts) - differences.length,
  };
}

/** Lists the recorded writes that a plan neither sends nor lists in `recorded.left_out`. */
export function listMissingWrites(
  draft: PlanDraft,
  { recorded }: Plan,
  { exchanges }: Recording,
): Calibration["missing"] {
  const sent = new Set(Array.from({ length: draft.size }, (_, index) => draft.entryOf(index)));
  const omitted = new Set(recorded?.left_out);
  return keptCalls(exchanges, undefined).exchanges.flatMap((exchange) => {
    const entry = exchange.index + 1;
    const isExpected = exchange.socketPart === undefined && changesData(exchange);
    if (!isExpected || sent.has(entry) || omitted.has(entry)) return [];
    const { method, url } = exchange.request;
    return [{ entry, name: `${method} ${URL.parse(url)?.pathname ?? url}` }];
  });
}

/**
 * Lists the event streams in the scenarios that replay the recording, the responses whose recorded
 * body is missing, and the WebSockets whose messages were not all compared with the recording.
 */
export function listUncompared(
  draft: PlanDraft,
  { scenarios }: Plan,
  recorded: RecordedSide,
  messages: readonly ComparedMessages[],
): Uncompared[] {
  const replayed = draft.replayed();
  const origins = new ValueOrigins(draft, recorded);
  const responses = [...replayed.values()].flat().flatMap((index): Uncompared[] => {
    const step = recorded.at(index);
    if (step === undefined) return [];
    const name = requestName(draft.at(index));
    if (isEventStream(step.exchange)) {
      const what = step.event?.isSelected ? "events before the last one" : "events";
      return [{ index, name, what }];
    }
    const { response } = step.exchange;
    if (!lacksBody(response) || !isText(response.mimeType)) return [];
    const values = listSentValues(index, draft).filter((sent) => origins.maySend(index, sent));
    const senders = [...new Set(values.map((sent) => sent.index))];
    const what = "body (not in the recording)";
    return [{ index, name, what, ...(senders.length > 0 && { senders }) }];
  });
  const compared = new Set(
    messages.filter(({ received, skipped }) => received > 0 && skipped === 0)
      .map(({ entry }) => entry),
  );
  const names = new Set(
    [...replayed.keys()].flatMap((name) =>
      [...listSteps(scenarios[name].flow)].flatMap(({ websocket }) =>
        websocket === undefined || compared.has(recordedEntry(websocket) ?? 0)
          ? []
          : [socketName(websocket)]
      )
    ),
  );
  return [...responses, ...[...names].map((name): Uncompared => ({ name, what: "messages" }))];
}
