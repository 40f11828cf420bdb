import { plural } from "../base/format.ts";
import { KnownPairs } from "../comparison/known_pairs.ts";
import { workShown } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { CallOutcome } from "./attempts.ts";
import { isWriteRequest, usesVariable } from "./literal_edit.ts";
import type { PlanDraft } from "./draft.ts";
import type { RepeatedRequest } from "./given_plan.ts";
import type { JudgedCall } from "./judge_call.ts";
import { bodyTexts, type SentCall, type SentWrite } from "./sent_write.ts";
import { describeSharedId, findOtherObject, type RepeatedWrite } from "./row_objects.ts";
import type { LiveStep, LiveSteps } from "./trial.ts";
import type { ConstantVariable } from "./variable_watch.ts";

/**
 * Maximum time, in milliseconds, to wait for a user who sends no request. The other users then
 * continue.
 */
const PATIENCE_MS = 1_000;

/**
 * Lets only one user at a time send a request, and keeps the number of requests equal: a user can
 * send the next request only after all others have sent theirs. Waits at most one second for users
 * who send no request, for example because they have finished. Users can also be staggered, so that
 * each is a fixed number of requests ahead of the next user.
 */
export class LockStep {
  readonly #done = new Map<number, number>();
  readonly #left = new Map<number, number>();
  #waiting: { readonly user: number; readonly resolve: () => void }[] = [];
  #holder: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isUnlocked = false;

  /**
   * Creates a lock for users with these numbers, each `lead` requests ahead of the next user. A
   * user has finished after `most` requests.
   */
  constructor(users: readonly number[], lead = 0, most = Infinity) {
    for (const [i, user] of users.entries()) {
      this.#done.set(user, i * lead);
      this.#left.set(user, most);
    }
  }

  take(user: number): Promise<void> {
    if (this.#isUnlocked || this.#holder === user) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ user, resolve });
      if (!this.#done.has(user)) this.#done.set(user, Math.max(0, ...this.#done.values()));
      this.#next();
    });
  }

  /**
   * Lets all users continue without waiting for their turns, now and in the future. Call this
   * method when the round is aborted.
   */
  unlock(): void {
    this.#isUnlocked = true;
    clearTimeout(this.#timer);
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  release(user: number): void {
    if (this.#holder !== user) return;
    this.#holder = undefined;
    const left = (this.#left.get(user) ?? Infinity) - 1;
    this.#left.set(user, left);
    if (left > 0) this.#done.set(user, (this.#done.get(user) ?? 0) + 1);
    else this.#done.delete(user);
    this.#next();
  }

  #next(): void {
    if (this.#holder !== undefined || this.#waiting.length === 0) return;
    clearTimeout(this.#timer);
    const count = (user: number) => this.#done.get(user) ?? 0;
    const first = this.#waiting.reduce((a, b) => count(b.user) < count(a.user) ? b : a);
    const absent = [...this.#done.keys()].filter((user) =>
      !this.#waiting.some((waiting) => waiting.user === user)
    );
    if (absent.every((user) => count(user) >= count(first.user))) return this.#grant(first.user);
    this.#timer = setTimeout(() => {
      for (const user of absent) this.#done.delete(user);
      this.#next();
    }, PATIENCE_MS);
  }

  #grant(user: number): void {
    this.#holder = user;
    const { resolve } = this.#waiting.find((waiting) => waiting.user === user)!;
    this.#waiting = this.#waiting.filter((waiting) => waiting.user !== user);
    resolve();
  }
}

class Polls {
  readonly #polls = new Map<number, number>();
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
  judge(judged: JudgedCall, repeated: RepeatedRequest | undefined): JudgedCall {
    if (repeated === undefined) return judged;
    const { outcome, live } = judged;
    const { index } = outcome;
    const attempt = (this.#polls.get(index) ?? 0) + 1;
    this.#polls.set(index, attempt);
    if (this.#ended.has(index)) return { outcome, isPending: true };
    if (live !== undefined && repeated.isEnd(live)) {
      this.#polls.delete(index);
      return judged;
    }
    const isWorking = live !== undefined && live.status >= 200 && live.status < 300;
    if (isWorking && attempt < repeated.attempts) return { outcome, isPending: true };
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

export class UserIteration implements LiveSteps {
  readonly iteration: number;
  readonly known = new KnownPairs();
  readonly steps = new Map<number, LiveStep>();
  readonly writes = new Map<number, SentWrite>();
  readonly sentRequests = new Map<number, { readonly request: Request; readonly pause: number }>();
  readonly polls = new Polls();
  /**
   * True after the session was lost. Later responses then do not show whether the plan is right.
   */
  diverged = false;
  /** Waits that do not count as delays by other users: earlier ones, and this user's own pauses. */
  waitsBefore: number;

  constructor(iteration: number, waitsBefore: number) {
    this.iteration = iteration;
    this.waitsBefore = waitsBefore;
  }

  /** Adds what a request sends: responses may repeat it, and later ones must show it. */
  sends(index: number, { write, pairs }: SentCall): void {
    if (write !== undefined) this.writes.set(index, write);
    for (const { recorded, live } of pairs) this.known.add(recorded, live);
  }

  /** Reports whether the first response with a value is that to a read after an own write. */
  #isListed(value: string): boolean {
    const steps = [...this.steps].sort(([a], [b]) => a - b);
    const [first] = steps.find(([, { response }]) => response.text?.includes(value)) ?? [-1];
    return !this.writes.has(first) &&
      [...this.writes].some(([index, { sendsPassword }]) => index < first && !sendsPassword);
  }

  /**
   * Returns the reason why the responses do not show that the write `index` did its work, or how it
   * shows that it changed another object. Empty if the call is not a write that got a response.
   * `repeated` is what the same write sent in other iterations, `constants` the variables with the
   * same value in all responses.
   */
  judgeWrite(
    index: number,
    draft: PlanDraft,
    repeated: RepeatedWrite,
    constants: readonly ConstantVariable[],
  ): Pick<CallOutcome, "unshown" | "writeDifferences"> {
    const { recorded } = draft;
    const live = this.steps.get(index)?.response;
    const write = this.writes.get(index);
    if (live === undefined || write === undefined) return {};
    const [earlier, later] = [draft.given.earlier(index), draft.given.later(index)].map((indexes) =>
      indexes.flatMap((i) => recorded.at(i) === undefined ? [] : [i])
    );
    const step = recorded.at(index)!;
    const isInSession = this.#session(index, write, draft);
    // A poll gets one of several recorded responses.
    const works = [step.response, ...recorded.repeats(index)].map((response) =>
      workShown({
        recorded: response,
        live,
        traces: bodyTexts(write.texts),
        earlier: earlier.map((i) => recorded.at(i)!.response),
        later: later.map((i) => ({
          recorded: recorded.at(i)!.response,
          live: this.steps.get(i)?.response,
          isInSession: isInSession(i),
        })),
        isRebuilt: step.exchange.request.bodyRebuilt ?? false,
      })
    );
    const [first] = works;
    if (!first.isShown && !works.some(({ isShown }) => isShown)) return { unshown: first.reason };
    const other = findOtherObject(index, this, draft, constants) ??
      describeSharedId(write, repeated, (value) => this.#isListed(value));
    return other === undefined ? {} : { writeDifferences: [other] };
  }

  /**
   * Returns a string that identifies everything in the plan that the response to a request may
   * depend on: the request, the writes before it, the requests that extract its variables, their
   * current extractors, and the pauses before them.
   */
  related(index: number, draft: PlanDraft): string {
    const own = this.sentRequests.get(index);
    if (own === undefined) return "";
    const used = [own.request];
    const parts = [`${index}:${draft.contentNumber(own.request)}:${own.pause}`];
    const earlier = [...this.sentRequests].filter(([i]) => i < index).sort(([a], [b]) => b - a);
    for (const [i, { request, pause }] of earlier) {
      const sources = (draft.at(i).extract ?? []).filter(({ name }) =>
        used.some((other) => usesVariable(other, name))
      );
      if (!isWriteRequest(request) && sources.length === 0) continue;
      used.push(request);
      parts.push(`${i}:${draft.contentNumber(request)}:${pause}:${JSON.stringify(sources)}`);
    }
    return parts.join(" ");
  }

  /** A login is the first write that sends a password. Later calls need its cookies or values. */
  #session(
    index: number,
    { sendsPassword, setsCookie }: SentWrite,
    draft: PlanDraft,
  ): (later: number) => boolean {
    const isLogin = sendsPassword &&
      !draft.given.earlier(index).some((i) => this.writes.get(i)?.sendsPassword);
    if (!isLogin) return () => false;
    const consumers = (draft.at(index).extract ?? [])
      .flatMap(({ name }) => draft.values.usesOf(index, name).consumers);
    const opens = setsCookie && draft.recorded.mayOpenSession(index);
    return (later) => opens || consumers.includes(later);
  }
}
