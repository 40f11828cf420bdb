import { plural } from "../base/format.ts";
import { recordedSecretHider } from "../convert/har/secrets.ts";
import { KnownPairs } from "../correlation/known_pairs.ts";
import { mayBeOtherRow, type Trace, workShown } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { Attempts, type CallOutcome } from "./attempts.ts";
import { isWriteRequest, plannedCalls, WriteBudget } from "./budget.ts";
import { Patience, RateLimitWaits } from "./rate_limit.ts";
import type { CalibrationOptions } from "./calibration.ts";
import { PlanDraft } from "./draft.ts";
import { ExtractTrials } from "./extract_trial.ts";
import { Extractions } from "./extractions.ts";
import { type GuardedSender, guardSender } from "./guarded_sender.ts";
import type { Judged } from "./judge_call.ts";
import { usesVariable } from "./literal_edit.ts";
import { LostBodies } from "./lost_bodies.ts";
import { findMissingPauses, PauseTrials } from "./pause_trial.ts";
import { readRecordedSide, type RecordedSide, type ResponseSnapshot } from "./recorded_side.ts";
import type { RepeatedRequest } from "./flow_edits.ts";
import { CalibrationLog, type LiveStep, type LiveSteps } from "./trial.ts";
import { UniqueTrials } from "./unique_trial.ts";
import { ConstantValues, VariableWatch } from "./variable_watch.ts";

/** What a calibration works with, and what its rounds share. */
export interface RoundParts {
  readonly plan: Plan;
  readonly recording: Recording;
  readonly target: string;
  readonly options: CalibrationOptions;
  readonly draft: PlanDraft;
  readonly recorded: RecordedSide;
  readonly attempts: Attempts;
  readonly extractions: Extractions;
  readonly lost: LostBodies;
  readonly sources: ExtractTrials;
  readonly variables: VariableWatch;
  readonly constants: ConstantValues;
  readonly unique: UniqueTrials;
  readonly pauses: PauseTrials;
  readonly texts: RequestTexts;
  /** Number of writes that one iteration sends. */
  readonly writes: number;
  readonly budget: WriteBudget;
  readonly limits: RateLimitWaits;
  readonly patience: Patience;
  readonly sender: GuardedSender;
  readonly log: CalibrationLog;
  /** Live responses to each call that were as recorded, by the number of the request. */
  readonly rights: Map<number, ResponseSnapshot[]>;
  /** Removes secrets from recorded or live text. */
  hide(text: string): string;
  /** Returns the time in Unix milliseconds. */
  now(): number;
  isInterrupted(): boolean;
  /** Reports whether the user interrupted the calibration, or the target is overloaded. */
  isOver(): boolean;
}

/** Creates what a calibration of `plan` works with. */
export function createParts(
  plan: Plan,
  recording: Recording,
  origins: { readonly recorded: string; readonly target: string },
  options: CalibrationOptions,
): RoundParts {
  const draft = new PlanDraft(plan, (index, source) => recorded.mayRead(index, source));
  const recorded = readDraft(draft, recording, origins);
  const { now, sleep, interrupt, redact = (text: string) => text } = options;
  const { writes, mostWrites } = plannedCalls(plan);
  const waiting = { sleep, now, announce: (text: string) => options.onRound?.(text) };
  const log = new CalibrationLog();
  const budget = new WriteBudget(mostWrites);
  const patience = new Patience(waiting, options.patience);
  const limits = new RateLimitWaits(patience, now);
  const attempts = new Attempts(findMissingPauses(plan, draft, recorded));
  const unique = new UniqueTrials(draft, recorded, log);
  const variables = new VariableWatch(draft, unique, log);
  const lost = new LostBodies(draft, recorded);
  const extractions = new Extractions(draft, recorded, unique, variables, lost, log);
  const hide = recordedSecretHider(recording);
  const isInterrupted = () => interrupt?.aborted ?? false;
  const isOver = () => isInterrupted() || limits.overload !== undefined;
  return {
    plan,
    recording,
    target: origins.target,
    options,
    draft,
    recorded,
    attempts,
    extractions,
    lost,
    sources: new ExtractTrials(draft, recorded, variables, extractions),
    variables,
    constants: new ConstantValues(draft),
    unique,
    pauses: new PauseTrials(draft, attempts, log),
    texts: new RequestTexts(),
    writes,
    budget,
    limits,
    patience,
    sender: guardSender(options.sender, {
      isAllowed: options.isAllowed,
      budget,
      waitToOpen: (response, waits) => limits.waitToOpen(response, waits, isOver),
    }),
    log,
    rights: new Map(),
    hide: (text) => redact(hide(text)),
    now,
    isInterrupted,
    isOver,
  };
}

function readDraft(
  draft: PlanDraft,
  recording: Recording,
  origins: { readonly recorded: string; readonly target: string },
): RecordedSide {
  const entries = new Map(
    Array.from({ length: draft.size }, (_, index) => [index, draft.entryOf(index)] as const)
      .flatMap(([index, entry]) => entry === undefined ? [] : [[index, entry] as const]),
  );
  return readRecordedSide(recording, entries, origins, {
    areTogether: (index, other) => draft.areTogether(index, other),
    requestAt: (index) => draft.at(index),
  });
}

/** A request to send the current request again. */
export interface Again {
  /** Time to wait before, in milliseconds. */
  readonly waitMs?: number;
}

/** Attempts of one user at the requests in `retry` steps, in one iteration. */
class Polls {
  /** Number of attempts at each request since the condition of its step was last true. */
  readonly #attempts = new Map<number, number>();
  /** Indexes of the requests whose outcome is known. Further attempts do not count. */
  readonly #ended = new Set<number>();

  hasEnded(index: number): boolean {
    return this.#ended.has(index);
  }

  /**
   * Judges an attempt at a request that a `retry` step may repeat. The live server may need more or
   * fewer attempts than the recorded one, so only the last attempt is compared with the recording.
   * If the condition of the step is still false after the last attempt, the call does not match the
   * recording. If an attempt has a non-2xx status, that attempt is the outcome of the call.
   */
  judge(judged: Judged, repeated: RepeatedRequest | undefined): Judged {
    if (repeated === undefined) return judged;
    const { outcome, live } = judged;
    const { index } = outcome;
    const attempt = (this.#attempts.get(index) ?? 0) + 1;
    this.#attempts.set(index, attempt);
    if (this.#ended.has(index)) return { outcome, isOpen: true };
    if (live !== undefined && repeated.isEnd(live)) {
      this.#attempts.delete(index);
      return judged;
    }
    const isWorking = live !== undefined && live.status >= 200 && live.status < 300;
    if (isWorking && attempt < repeated.attempts) return { outcome, isOpen: true };
    this.#ended.add(index);
    if (!isWorking) return judged;
    const difference = {
      kind: "condition",
      recorded: repeated.condition,
      live: plural(attempt, "attempt"),
    } as const;
    return { outcome: { ...outcome, differences: [difference, ...outcome.differences] }, live };
  }
}

/** State of a user in one iteration. */
export class UserIteration implements LiveSteps {
  readonly iteration: number;
  readonly known = new KnownPairs();
  readonly steps = new Map<number, LiveStep>();
  readonly traces = new Map<number, readonly Trace[]>();
  readonly sent: SentRequests;
  readonly polls = new Polls();
  /**
   * True after the session was lost. Later responses then do not show whether the plan is right.
   */
  diverged = false;
  /** Pause that was inserted before the current request, in milliseconds. */
  pause = 0;
  /** Waits that do not count as delays by other users: earlier ones, and this user's own pauses. */
  waitsBefore: number;
  responses = 0;
  /** Number of times that the current request waited because of a rate limit. */
  waits = 0;
  /**
   * The outcome that a rate limit refused, if the recorded pause is at least as long as the wait.
   */
  limitedBy: CallOutcome | undefined;
  /** The attempts at the current request. Undefined before its first response. */
  attempts: Iterator<Again, void, Judged> | undefined;

  constructor(iteration: number, texts: RequestTexts, waitsBefore: number) {
    this.iteration = iteration;
    this.sent = new SentRequests(texts);
    this.waitsBefore = waitsBefore;
  }

  /**
   * Returns the reason why the responses do not show that the write `index` did its work, or
   * undefined if they do, or if the call is not a write that got a response.
   */
  unshown(index: number, draft: PlanDraft, recorded: RecordedSide): string | undefined {
    const live = this.steps.get(index)?.response;
    const traces = this.traces.get(index);
    if (live === undefined || traces === undefined) return undefined;
    const [earlier, later] = [draft.earlier(index), draft.later(index)].map((indexes) =>
      indexes.flatMap((i) => recorded.at(i) === undefined ? [] : [i])
    );
    const step = recorded.at(index)!;
    // A poll gets one of several recorded responses.
    const works = [step.response, ...recorded.repeats(index)].map((response) =>
      workShown({
        recorded: response,
        live,
        traces,
        earlier: earlier.map((i) => recorded.at(i)!.response),
        later: later.map((i) => ({
          recorded: recorded.at(i)!.response,
          live: this.steps.get(i)?.response,
        })),
        isRebuilt: step.exchange.request.bodyRebuilt ?? false,
      })
    );
    const [first] = works;
    return first.isShown || works.some(({ isShown }) => isShown)
      ? this.#otherRow(index, draft, recorded)
      : first.reason;
  }

  /** Describes a variable of a write that another user's row may have set. */
  #otherRow(index: number, draft: PlanDraft, recorded: RecordedSide): string | undefined {
    const sent = JSON.stringify({ ...draft.at(index), extract: [] });
    for (const i of draft.earlier(index)) {
      const [json, live] = [recorded.at(i)?.response, this.steps.get(i)?.response]
        .map((response) => response?.view.json);
      for (const extractor of draft.at(i).extract ?? []) {
        if (extractor.type !== "jsonpath") continue;
        const { name, expression } = extractor;
        if (!new RegExp(`\\$\\{[^}]*\\b${name}\\b`).test(sent)) continue;
        if (!mayBeOtherRow(expression, json, live, this.known)) continue;
        return `\`${expression}\` takes a row by its position, and it may be another user's`;
      }
    }
    return undefined;
  }
}

/** Assigns numbers to requests by what they send, regardless of their extractors and checks. */
export class RequestTexts {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<Request, number>();

  numberOf(request: Request): number {
    let number = this.#known.get(request);
    if (number !== undefined) return number;
    const { extract: _, assert: __, checks: ___, ...sent } = request;
    const text = JSON.stringify(sent);
    number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(request, number);
    return number;
  }
}

/** The plan's requests that a user sent in one iteration, and the pauses before them. */
export class SentRequests {
  readonly #texts: RequestTexts;
  readonly #sent = new Map<number, { readonly request: Request; readonly pause: number }>();

  constructor(texts: RequestTexts) {
    this.#texts = texts;
  }

  /** Adds a request that was sent. Replaces an earlier attempt at the same request. */
  add(index: number, request: Request, pause: number): void {
    this.#sent.set(index, { request, pause });
  }

  /**
   * Returns a string that identifies everything in the plan that the response to a request may
   * depend on: the request, the writes before it, the requests that extract its variables, their
   * extractors, and the pauses before them. `at` returns a request of the plan with its current
   * extractors.
   */
  related(index: number, at: (index: number) => Request): string {
    const own = this.#sent.get(index);
    if (own === undefined) return "";
    const used = [own.request];
    const parts = [`${index}:${this.#texts.numberOf(own.request)}:${own.pause}`];
    const earlier = [...this.#sent].filter(([i]) => i < index).sort(([a], [b]) => b - a);
    for (const [i, { request, pause }] of earlier) {
      const sources = (at(i).extract ?? []).filter(({ name }) =>
        used.some((other) => usesVariable(other, name))
      );
      if (!isWriteRequest(request) && sources.length === 0) continue;
      used.push(request);
      parts.push(`${i}:${this.#texts.numberOf(request)}:${pause}:${JSON.stringify(sources)}`);
    }
    return parts.join(" ");
  }
}
