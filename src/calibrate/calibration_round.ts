import type { RequestSupervisor, SupervisedVu } from "../engine/flow/request_observer.ts";
import { formatMs } from "../base/format.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Request } from "../plan/kinds/request.ts";
import { headerValue } from "../traffic/har/har_fields.ts";
import { isRedirect } from "../correlation/compared_response.ts";
import { compareEvents } from "../outcome/compare_responses.ts";
import type { CallAttempts } from "./call_attempts.ts";
import { judgeResponse, secondsToWait } from "../outcome/judge_response.ts";
import { type CallOutcome, isAsRecorded, isSessionLost } from "./call_outcome.ts";
import { findForeignLiterals } from "./foreign_literals.ts";
import type { GuardedSender, SentExchange } from "./guarded_sender.ts";
import type { Learner } from "./learner.ts";
import type { LiveStep } from "./live_step.ts";
import type { ConstantValues } from "./constant_values.ts";
import { LockStep } from "./lock_step.ts";
import { type Evidence, findReasons, judgeAttempt, type Judged } from "./judge_attempt.ts";
import type { Patience, RateLimitWaits } from "./rate_limit_waits.ts";
import { RequestRetries, type RetryParts } from "./request_retries.ts";
import { workShown } from "../outcome/work.ts";
import { compareContent } from "../outcome/content.ts";
import { type ResponseSnapshot, snapshotEvent, snapshotLive } from "./response_snapshot.ts";
import type { RowTexts } from "./row_texts.ts";
import { compareSent } from "./compare_sent.ts";
import { addSentPairs, splitOutgoing } from "./sent_pairs.ts";
import type { RequestTexts } from "./sent_requests.ts";
import { endRequest, startIteration, type UserIteration } from "./user_iteration.ts";
import type { VariableWatch } from "./variable_watch.ts";
import { isWriteRequest } from "./write_budget.ts";

/** State and options that all rounds of a calibration share. */
export interface RoundParts extends RetryParts {
  readonly learner: Learner;
  readonly variables: VariableWatch;
  readonly attempts: CallAttempts;
  readonly texts: RequestTexts;
  readonly rows: RowTexts;
  readonly constants: ConstantValues;
  readonly limits: RateLimitWaits;
  readonly patience: Patience;
  readonly sender: GuardedSender;
  /** Live responses to each call that were as recorded, by the number of the request. */
  readonly rights: Map<number, ResponseSnapshot[]>;
  /** False in a round that only counts the calls that are as recorded. */
  readonly mayRepair: boolean;
  /** Removes secrets from recorded or live text. */
  hide(text: string): string;
  /**
   * Waits for `ms` milliseconds, either because of the server's rate limit or to insert a recorded
   * pause.
   */
  sleep(ms: number): Promise<void>;
  /** Receives a line about the next step of the calibration, for the progress output. */
  announce(text: string): void;
  /** Ends the round early. */
  stop(): void;
  now(): number;
}

/** Number of consecutive calls without a response after which a round ends. */
const MOST_FAILURES = 4;
/** Number of right live responses to a call that are kept, to learn what varies between them. */
const MOST_RIGHTS = 4;

/** Runs all users of a round in lockstep, compares each response, and repairs the plan. */
export class CalibrationRound implements RequestSupervisor {
  /** Outcomes in the order in which the calls ended. */
  readonly outcomes: CallOutcome[] = [];
  readonly #parts: RoundParts;
  readonly #retries: RequestRetries;
  readonly #lock: LockStep;
  readonly #users = new Map<number, UserIteration>();
  /** All iterations, by user and iteration. */
  readonly #iterations = new Map<string, UserIteration>();
  #failures = 0;
  /** Total number of times that users waited because of a rate limit or a recorded pause. */
  #waits = 0;

  /** Creates a round in which each user is `lead` requests ahead of the next user. */
  constructor(parts: RoundParts, users: number, lead: number) {
    this.#parts = parts;
    this.#retries = new RequestRetries(parts);
    this.#lock = new LockStep(Array.from({ length: users }, (_, i) => i + 1), lead);
  }

  /**
   * Lets all users continue. Otherwise, they would wait for a user whose iteration was aborted,
   * because that user does not end its turn.
   */
  abort(): void {
    this.#lock.open();
  }

  async before(request: Request, vu: SupervisedVu): Promise<Request> {
    const { draft } = this.#parts;
    const index = draft.indexOf(request);
    if (index === undefined) return request; // It belongs to `setup` or `teardown`.
    await this.#lock.take(vu.id);
    const user = this.#user(vu);
    const { pauses, patience } = this.#parts;
    if (!user.isRepeated) {
      user.pause = pauses.before(index, vu.iteration + 1);
      if (user.pause > 0 && !patience.take(user.pause)) user.pause = 0;
      if (user.pause > 0) {
        user.waitsBefore++;
        await this.#wait(index, user.pause, "recorded pause");
      }
    }
    this.#parts.sender.takeExchanges(vu.id);
    user.sent.add(index, draft.at(index), user.pause);
    const sent = draft.at(index);
    return {
      ...sent,
      assert: undefined,
      checks: undefined,
      extract: draft.repeatedAt(index) ? sent.extract?.map(withoutDefault) : sent.extract,
    };
  }

  async after(request: Request, vu: SupervisedVu): Promise<boolean> {
    const index = this.#parts.draft.indexOf(request);
    if (index === undefined) return false;
    const user = this.#user(vu);
    const exchanges = this.#parts.sender.takeExchanges(vu.id);
    user.isFirst = !user.isRepeated;
    user.isRepeated = true;
    const found = this.#judge(index, vu, user, exchanges);
    const { limits } = this.#parts;
    limits.add(found.outcome, found.live?.status);
    if (limits.overload !== undefined) this.#parts.stop();
    const delay = user.ended.has(index) || !this.#retries.mayRepeat(index)
      ? undefined
      : limits.next(found.outcome, user.waits, this.#firstWait(index, found));
    if (limits.overload !== undefined) this.#parts.stop();
    if (delay !== undefined) {
      user.waits++;
      const pause = this.#parts.pauses.possible(index);
      user.limitedBy = pause !== undefined && delay <= pause ? found.outcome : undefined;
      await this.#wait(index, delay, "the server reported a rate limit or an overload");
      return true;
    }
    const judged = judgeAttempt(user, found, this.#parts.draft.repeatedAt(index));
    const { outcome, evidence } = judged;
    if (judged.isOpen) {
      endRequest(user);
      this.#countFailure(outcome);
      this.#lock.release(vu.id);
      return false;
    }
    if (!this.#parts.mayRepair) {
      if (evidence !== undefined) this.#learn(index, evidence, vu, user);
      this.#end(judged, user);
      this.#lock.release(vu.id);
      return false;
    }
    if (this.#retries.confirmDoubtful(user, outcome)) return true;
    const isGood = this.#observe(vu, user, judged);
    if (isGood && user.waits === 1) this.#parts.pauses.limit(index, user.limitedBy);
    if (this.#retries.trySearch(user, outcome)) return true;
    const wait = this.#retries.waitFor(user, outcome, isGood);
    if (wait !== undefined && this.#parts.patience.take(wait)) {
      await this.#wait(index, wait, "the call failed; retrying after a pause");
      return true;
    }
    if (!isGood && this.#parts.pauses.omits(index, vu.iteration + 1)) {
      user.diverged = true; // The request was sent too early, to show that it needs its pause.
    } else if (evidence !== undefined) this.#learn(index, evidence, vu, user);
    if (this.#retries.tryUnique(vu, user, outcome, exchanges)) return true;
    this.#end(judged, user);
    this.#lock.release(vu.id);
    return false;
  }

  /**
   * Returns the recorded pause to wait for first if the server limits the rate of a call, unless the
   * server says how long to wait.
   */
  #firstWait(index: number, { live }: Judged): number | undefined {
    const isStated = headerValue(live?.headers ?? [], "retry-after") !== undefined;
    return isStated ? undefined : this.#parts.pauses.possible(index);
  }

  async #wait(index: number, ms: number, why: string): Promise<void> {
    this.#parts.announce(`  call ${index + 1}: waiting ${formatMs(ms)} (${why})`);
    this.#waits++;
    await this.#parts.sleep(ms);
  }

  #user(vu: SupervisedVu): UserIteration {
    const known = this.#users.get(vu.id);
    if (known?.iteration === vu.iteration) return known;
    const fresh = startIteration(vu.iteration, this.#parts.texts, this.#waits);
    this.#users.set(vu.id, fresh);
    this.#iterations.set(`${vu.id} ${vu.iteration + 1}`, fresh);
    return fresh;
  }

  #judge(
    index: number,
    vu: SupervisedVu,
    user: UserIteration,
    exchanges: readonly SentExchange[],
  ): Judged {
    const at = { user: vu.id, iteration: vu.iteration + 1, index, differences: [] };
    const step = this.#parts.recorded.at(index);
    const [first] = exchanges;
    if (first === undefined) return { outcome: { ...at, error: "not sent", unsent: true } };
    const { error, message } = vu.received.response;
    if (error !== undefined) {
      const unsent = error === "cancelled" ? { unsent: true as const } : {};
      return { outcome: { ...at, error: message ?? error, ...unsent } };
    }
    const { received } = vu;
    const storedCookie = (name: string) => received.storedCookie(name);
    const last = step?.event === undefined
      ? snapshotLive(received.response, storedCookie)
      : snapshotEvent(received, storedCookie);
    const rateLimit = secondsToWait(step?.response, last, this.#parts.now());
    const limit = rateLimit === undefined ? {} : { rateLimit };
    if (step === undefined) return { outcome: { ...at, ...limit }, live: last };
    const request = splitOutgoing(first.request);
    const written = isWriteRequest(this.#parts.draft.at(index))
      ? compareSent(step.call, request, this.#parts.draft.at(index), user.known)
      : undefined;
    if (written !== undefined) user.traces.set(index, written.traces);
    addSentPairs(step.call, request, user.known);
    // A recorder may have followed a redirect itself and kept only the last response.
    const live = isRedirect(step.response) && exchanges.length > 1
      ? snapshotLive(first.response)
      : last;
    const judged = judgeResponse(step.response, live, user.known, {
      method: step.exchange.request.method,
      isEvent: step.event?.isSelected ?? false,
      repeats: () => this.#parts.recorded.repeats(index),
      rights: () => this.#parts.rights.get(index) ?? [],
    });
    const reasons = judged.differences.length === 0 ? {} : {
      ...findReasons(step, live, first.request, judged.refusal, this.#parts.recorded),
      ...findForeignLiterals(index, this.#parts.draft.at(index), this.#parts.recorded, user.steps),
    };
    const sent = written === undefined || written.differences.length === 0
      ? {}
      : { sent: written.differences };
    const outcome = { ...at, ...judged, ...limit, ...reasons, ...sent };
    // If the recording selects an event only by its number, a different event may arrive instead.
    const isOther = step.event?.isSelected === false &&
      compareEvents(step.response, live).length > 0;
    const compared = { recorded: step.response, live };
    if (isOther || judged.differences.length > 0) return { outcome, live: last, compared };
    return { outcome, live: last, compared, evidence: { step, last } };
  }

  /**
   * Records an attempt, to find calls that fail at random. Returns true if the response matched the
   * recording and all extractors found a value.
   */
  #observe(vu: SupervisedVu, user: UserIteration, { outcome, evidence }: Judged): boolean {
    const { attempts, draft, variables } = this.#parts;
    const { index } = outcome;
    const isGood = isAsRecorded(outcome) && (evidence === undefined ||
      variables.findsAll(index, evidence.step.response, (name) => vu.get(name)));
    if (!user.diverged) {
      const { isFirst, sent } = user;
      const related = sent.related(index, (i) => draft.at(i));
      const { pause } = user;
      const extractors = isAsRecorded(outcome)
        ? { extractors: JSON.stringify(draft.at(index).extract ?? []) }
        : {};
      const attempt = { outcome, isGood, isFirst, pause, related, ...extractors };
      attempts.add(attempt, this.#waits > user.waitsBefore);
    }
    return isGood;
  }

  #learn(
    index: number,
    { step, last: live }: Evidence,
    vu: SupervisedVu,
    user: UserIteration,
  ): void {
    const { learner, variables, onRepair } = this.#parts;
    const current: LiveStep = {
      response: live,
      known: user.known,
      unique: vu.unique,
      responseTo: (earlier) => user.steps.get(earlier)?.response,
      set: (variable, value) => vu.set(variable, value),
    };
    user.steps.set(index, current);
    if (!user.diverged) this.#parts.constants.observe(index, step.response, live);
    const get = (name: string) => vu.get(name);
    const recorded = learner.recordedAt(index) ?? step.response;
    const isFinal = user.diverged || !this.#parts.mayRepair;
    const repairs = variables.check(index, recorded, current, get, isFinal);
    if (!this.#parts.mayRepair) return;
    for (const repair of repairs) onRepair(repair);
    const others = [...this.#users.values()].flatMap((other) => other.steps.get(index) ?? [])
      .filter((other) => other !== current);
    for (const repair of learner.learn(index, current, others)) {
      if (repair.kind === "extracted") variables.learned(repair);
      onRepair(repair);
    }
  }

  /**
   * Returns the outcomes. Those of writes that got the recorded response, but of which no response
   * shows the work, state the reason.
   */
  judged(): CallOutcome[] {
    return this.outcomes.map((outcome) => {
      const { index, user, iteration } = outcome;
      const own = this.#iterations.get(`${user} ${iteration}`);
      const live = own?.steps.get(index)?.response;
      const traces = own?.traces.get(index);
      if (own === undefined || live === undefined || traces === undefined) return outcome;
      const { recorded, draft } = this.#parts;
      const [earlier, later] = [draft.earlier(index), draft.later(index)].map((indexes) =>
        indexes.flatMap((i) => recorded.at(i) === undefined ? [] : [i])
      );
      // A poll gets one of several recorded responses.
      const works = [recorded.at(index)!.response, ...recorded.repeats(index)].map((response) =>
        workShown({
          recorded: response,
          live,
          traces,
          earlier: earlier.map((i) => recorded.at(i)!.response),
          later: later.map((i) => ({
            recorded: recorded.at(i)!.response,
            live: own.steps.get(i)?.response,
          })),
          isRebuilt: recorded.at(index)!.exchange.request.bodyRebuilt ?? false,
        }, own.known)
      );
      const [first] = works;
      const isShown = first.isShown || works.some((one) => one.isShown);
      return isShown ? outcome : { ...outcome, unshown: first.reason };
    });
  }

  #end({ outcome, compared }: Judged, user: UserIteration): void {
    const final = user.first ?? user.unconfirmed ?? outcome;
    if (compared !== undefined && isAsRecorded(final) && !user.diverged) {
      const rights = this.#parts.rights.get(final.index) ?? [];
      if (rights.length < MOST_RIGHTS) {
        this.#parts.rights.set(final.index, [...rights, compared.live]);
      }
    }
    if (!user.diverged && isAsRecorded(final)) this.#parts.variables.confirm(final.index);
    this.#parts.rows.judge(final.index, user.diverged || isAsRecorded(final));
    const { draft, hide } = this.#parts;
    this.outcomes.push(
      compared !== undefined && isAsRecorded(final)
        ? {
          ...final,
          content: compareContent(
            { ...compared, alike: this.#parts.recorded.alike(final.index) },
            user.known,
            hide,
          ),
        }
        : final,
    );
    endRequest(user);
    if (isSessionLost(final, isWriteRequest(draft.at(final.index)))) user.diverged = true;
    this.#countFailure(final);
  }

  #countFailure({ error, unsent }: CallOutcome): void {
    this.#failures = error !== undefined && !unsent ? this.#failures + 1 : 0;
    if (this.#failures >= MOST_FAILURES) this.#parts.stop();
  }
}

/**
 * Returns an extractor without its empty default, which would hide that a response lacks the value.
 */
function withoutDefault(extractor: Extractor): Extractor {
  return extractor.default === "" ? { ...extractor, default: undefined } : extractor;
}
