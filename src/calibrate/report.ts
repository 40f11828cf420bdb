import { listSteps, recordedEntry } from "../plan/kinds/list_requests.ts";
import { type Request, requestName, socketName } from "../plan/kinds/request.ts";
import { isText } from "../traffic/har/media_type.ts";
import { lacksBody } from "../traffic/har/entry.ts";
import { isEventStream } from "../traffic/har/socket_messages.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { keptCalls } from "../traffic/session/kept_calls.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { isPasswordName } from "../traffic/session/secret_names.ts";
import { type CallOutcome, matchesRecording, type Round } from "./attempts.ts";
import type { CalibratedCall, Calibration, SocketFailure, Uncompared } from "./calibration.ts";
import type { PlanDraft } from "./draft.ts";
import type { LiveTarget } from "./live_target.ts";
import { textsOf } from "./literal_edit.ts";
import { type ComparedMessages, compareSockets } from "./messages.ts";
import type { NeededPause } from "./pause_trial.ts";
import { isProven } from "./proof.ts";
import type { Repairs } from "./repairs.ts";
import type { Rounds } from "./rounds.ts";
import type { ExtractedRepair, ReceivedRepair, RemovedVariable, UniqueRepair } from "./trial.ts";
import { isGood, listVerdicts, type LiveVerdict, wasGoodAtFirst } from "./verdicts.ts";

/** What a report is made from. */
export interface Calibrated {
  readonly repairs: Repairs;
  readonly target: LiveTarget;
  readonly rounds: Rounds;
  readonly kept: Calibration["kept"];
  readonly discarded: Calibration["discarded"];
}

export function reportOn(calibrated: Calibrated): Omit<Calibration, "moved"> {
  const { repairs, rounds } = calibrated;
  const { draft, attempts, variables } = repairs;
  const byCall = Map.groupBy(attempts.outcomes(rounds.last), ({ index }) => index);
  const kept = listKeptExtractions(repairs.extractions.repairs, draft);
  const extracted = kept.map((repair) => ({
    ...repair,
    ...draft.values.usesOf(repair.source, repair.variable),
  }));
  const unique = repairs.unique.repairs
    .filter(({ template, source }) => sends(draft.at(source), template));
  const pauses = listNeededPauses(calibrated, byCall);
  const { verdicts, conflicts } = judgeRounds(
    calibrated,
    unique,
    new Set([
      ...pauses.map(({ index }) => index),
      ...[...extracted, ...repairs.received].flatMap(({ consumers }) => consumers),
      ...unique.map(({ source }) => source),
    ]),
  );
  const messages = compareSockets(draft, rounds.live);
  const missing = listMissingWrites(draft);
  const socketFailure = findSocketFailure(calibrated);
  const run = describeRun(calibrated);
  const { isUndecided } = repairs;
  const facts = { ...run, calls: verdicts, messages, missing, socketFailure, isUndecided };
  const mayDisturb = rounds.last.load !== "one user" &&
    (conflicts.length > 0 || verdicts.some(wasGoodAtFirst));
  return {
    ...run,
    proven: isProven(facts),
    sharedLogin: mayDisturb && hasRecordedLogin(draft) || undefined,
    exceptState: isProven(facts, true),
    calls: verdicts.map((verdict) => reportCall(verdict, byCall.get(verdict.index) ?? [], draft)),
    socketFailure,
    messages,
    missing,
    uncompared: listUncompared(repairs, messages),
    conflicts,
    extracted,
    received: repairs.received,
    unique,
    pauses,
    removed: listStillRemoved(variables.removed, [...kept, ...repairs.received], draft),
    constants: variables.constants,
  };
}

/** Reports whether a request contains a template. */
function sends(request: Request, template: string): boolean {
  return JSON.stringify(request).includes(JSON.stringify(template).slice(1, -1));
}

function describeRun({ target, kept, discarded, rounds, repairs }: Calibrated) {
  const { waits, budget } = target;
  return {
    target: target.origin,
    kept,
    discarded,
    interrupted: target.isInterrupted || undefined,
    patienceMs: waits.isExhausted ? waits.limitMs : undefined,
    overload: waits.overload,
    rateLimit: waits.rateLimit,
    writes: { sent: budget.sent, limit: budget.limit },
    rounds: rounds.ended.map(({ report }) => report),
    explanation: repairs.draft.explanation,
  };
}

function listNeededPauses(
  { rounds, repairs: { pauses } }: Calibrated,
  byCall: ReadonlyMap<number, readonly CallOutcome[]>,
): NeededPause[] {
  if (rounds.ended.every(({ load }) => load === "one user")) return [];
  return rounds.triedPauses.filter(({ index }) =>
    pauses.isConfirmed(index) && byCall.get(index)?.every(matchesRecording)
  );
}

/**
 * Returns the verdicts of the last round, and the calls that differed only when users sent them in
 * lockstep.
 */
function judgeRounds(
  { repairs: { draft, attempts }, rounds: { ended, last } }: Calibrated,
  unique: readonly UniqueRepair[],
  repaired: ReadonlySet<number>,
) {
  const judge = (round: Round, before: readonly Round[]) => {
    const good = attempts.matchingCalls(before);
    return listVerdicts({
      outcomes: attempts.outcomes(round),
      draft,
      random: attempts.random,
      unique,
      isRepaired: (index) => repaired.has(index),
      wasGood: (index) => good.has(index),
    });
  };
  const before = ended.slice(0, -1);
  const verdicts = judge(last, before);
  const lockStep = last.load === "staggered" ? before.at(-1) : undefined;
  const inLockStep = lockStep === undefined ? [] : judge(lockStep, before.slice(0, -1));
  const conflicts = inLockStep.filter((call) => {
    const staggered = verdicts.find(({ index }) => index === call.index);
    return wasGoodAtFirst(call) && staggered !== undefined && isGood(staggered);
  }).map(({ index, user, iteration, differences }) => ({ index, user, iteration, differences }));
  return { verdicts, conflicts };
}

function reportCall(
  verdict: LiveVerdict,
  outcomes: readonly CallOutcome[],
  draft: PlanDraft,
): CalibratedCall {
  const { index } = verdict;
  return {
    ...verdict,
    content: summarizeContent(outcomes),
    name: requestName(draft.at(index)),
    scenario: draft.given.scenarioAt(index),
    entry: draft.given.entryOf(index),
  };
}

/** Reports whether the first request with a password, the login, is equal for all users. */
function hasRecordedLogin(draft: PlanDraft): boolean {
  const login = draft.requests.map(textsOf)
    .find((texts) => texts.some(({ kind, name }) => IN_BODY.has(kind) && isPasswordName(name)));
  return login?.every(({ template }) => !/\$\{(?:vu\b|data\.)/.test(template)) ?? false;
}

/**
 * Returns the first round with a failed WebSocket. Skips rounds that repaired the plan or omitted
 * pauses, and rounds in which calls failed, which need their own explanation. Never skips the last
 * round.
 */
function findSocketFailure(
  { rounds: { ended, last }, repairs: { attempts } }: Calibrated,
): SocketFailure | undefined {
  const failed = ended.find((round) => {
    const { sockets, repairs, alternated } = round.report;
    if (sockets === undefined || sockets.failed === 0) return false;
    const isExplained = repairs > 0 || alternated ||
      !attempts.outcomes(round).every(matchesRecording);
    return round === last || !isExplained;
  });
  return failed && { ...failed.report.sockets!, round: failed.name };
}

/**
 * Returns the variables in `removed` that the plan still lacks. Omits a variable if one of
 * `repairs` has the same name, belongs to the same scenario, and extracts the value or a part of
 * it. If several removals concern the same variable, returns only the last one.
 */
function listStillRemoved(
  removed: readonly RemovedVariable[],
  repairs: readonly (ExtractedRepair | ReceivedRepair)[],
  draft: PlanDraft,
): RemovedVariable[] {
  return removed.filter(({ variable, source, recorded }, i) =>
    !removed.slice(i + 1).some((later) => later.variable === variable && later.source === source) &&
    !repairs.some((repair) =>
      repair.variable === variable && recorded.includes(repair.recorded) &&
      (!("source" in repair) || draft.given.areTogether(repair.source, source))
    )
  );
}

/**
 * Returns the repairs whose extractor the plan still contains. If a value was extracted again into
 * the same variable, returns only the last repair.
 */
function listKeptExtractions(
  repairs: readonly ExtractedRepair[],
  draft: PlanDraft,
): ExtractedRepair[] {
  const keyOf = ({ variable, source, recorded }: ExtractedRepair) =>
    JSON.stringify([variable, source, recorded]);
  return repairs.filter((repair, i) =>
    draft.at(repair.source).extract?.some(({ name }) => name === repair.variable) &&
    !repairs.slice(i + 1).some((later) => keyOf(later) === keyOf(repair))
  );
}

/** Lists the recorded writes that a plan neither sends nor lists in `recorded.left_out`. */
function listMissingWrites(draft: PlanDraft): Calibration["missing"] {
  const sent = new Set(draft.requests.map(recordedEntry));
  const omitted = new Set(draft.given.plan.recorded?.left_out);
  return keptCalls(draft.recorded.exchanges, undefined).exchanges.flatMap((exchange) => {
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
function listUncompared(
  { draft, lost }: Repairs,
  messages: readonly ComparedMessages[],
): Uncompared[] {
  const { plan: { scenarios } } = draft.given;
  const replayed = draft.given.replayed();
  const responses = [...replayed.values()].flat().flatMap((index): Uncompared[] => {
    const step = draft.recorded.at(index);
    if (step === undefined) return [];
    const name = requestName(draft.at(index));
    if (isEventStream(step.exchange)) {
      const what = step.event?.isSelected ? "events before the last one" : "events";
      return [{ index, name, what }];
    }
    const { response } = step.exchange;
    if (!lacksBody(response) || !isText(response.mimeType)) return [];
    const senders = lost.sendersOf(index);
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

/** Counts equal content differences of the responses to one call. Undefined if there are none. */
export function summarizeContent(
  outcomes: readonly CallOutcome[],
): CalibratedCall["content"] {
  const differences = outcomes.flatMap(({ content = [] }, response) =>
    content.map((difference) => ({ ...difference, response }))
  );
  // The items of a list can have lists, and lists of a page differ only in their text.
  const byPlace = Map.groupBy(
    differences,
    ({ kind, place, path, recorded }) =>
      JSON.stringify([kind, path ? place.replace(/\[\d+\]/g, "[]") : place, path ? "" : recorded]),
  );
  if (byPlace.size === 0) return undefined;
  return [...byPlace.values()].map((own) => {
    const { kind, place, recorded, live } = own[0];
    const { size: responses } = new Set(own.map(({ response }) => response));
    return { kind, place, recorded, live, responses };
  });
}
