import { isDoubtful, isRefusal } from "../outcome/judge_response.ts";
import type { Leaf } from "../outcome/leaves.ts";
import { findRefusalTexts, visibleTexts } from "../outcome/refusal.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { type Attempts, type CallOutcome, matchesRecording, type Round } from "./attempts.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import { boundedOffsets } from "./literal_edit.ts";
import { listFirstFailures } from "./reasons.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import {
  type FailedCall,
  MOST_TRIALS,
  type RepairRound,
  type Trial,
  type TrialKind,
} from "./trial.ts";
import { shiftedDates } from "./shifted_dates.ts";
import { makeUnique, namesInUrl, toUnique, type UniqueText, uniqueTexts } from "./make_unique.ts";
import type { UniqueTexts } from "./unique_texts.ts";

const TRIALS_PER_CALL = 4;
/** Maximum number of texts in the description of a trial. */
const MOST_SHOWN = 8;
/** Makes strings unique that the user typed into a write that the server refuses, or ignores. */
export class UniqueTrials implements TrialKind {
  readonly helpsLostSession = true;
  readonly #draft: PlanDraft;
  readonly #attempts: Attempts;
  readonly #texts: UniqueTexts;
  #left = MOST_TRIALS;
  /** Calls, how their responses differ, and the texts that were changed in vain. */
  readonly #failed = new Set<string>();
  /** Names of the fields of the several texts that helped last. */
  #helped = new Set<string>();

  constructor(draft: PlanDraft, attempts: Attempts, texts: UniqueTexts) {
    this.#draft = draft;
    this.#attempts = attempts;
    this.#texts = texts;
  }

  /**
   * Proposes to make strings of a write unique that the server refused, or at which it failed
   * although the write worked before: one after the other, then all of them. If the refusal
   * contains strings, or else names their fields, first these, also together. If the server then
   * refuses others, adds them.
   */
  *propose({ outcome, step, live, user, hasSucceeded }: FailedCall): Generator<Trial> {
    const { index, differences, isTaken } = outcome;
    const isRefused = isTaken || isRefusal(step.response, live, differences) ||
      hasSucceeded && live.status >= 500;
    if (!this.#draft.isWrite(index) || !isRefused) return;
    this.judge(index, false);
    const created = createsUrl(step.exchange) ? namesInUrl(this.#draft.at(index), true) : [];
    const all = this.#textsOf(index, [
      ...created.filter((name) => !this.#draft.recorded.isReceivedBefore(index, name)),
      ...this.#newNames(index, visibleTexts(live).map(({ text }) => text)),
    ]);
    const namedIn = (response: ResponseSnapshot) => namedTexts(all, step.response, response);
    const dates = this.#shiftedDates(index, step.exchange.startedAt);
    const named = namedIn(live);
    const again = all.filter((text) => this.#helped.has(fieldOf(text)));
    const texts = [...(again.length > 1 ? [again] : []), ...groupsToTry(named, all)];
    const untried = named.length > 0 ? [...texts, ...dates] : [...dates, ...texts];
    for (let current = untried.shift(); current !== undefined; current = untried.shift()) {
      const tried = current;
      const changes = tried.map(({ text, expression }) => [text, expression]);
      const key = JSON.stringify([index, differences, changes]);
      if (this.#failed.has(key)) continue;
      if (this.#left === 0) return this.#draft.explain(index, "no trial of other text is left");
      this.#left--;
      let namedNow: UniqueText[] = [];
      yield {
        what: `other text than ${
          tried.slice(0, MOST_SHOWN).map(({ text }) => quoteValue(text)).join(", ")
        }`,
        edit: () => {
          this.#draft.tryEdit(() =>
            this.#draft.editScenario(index, (request) => tried.reduce(makeUnique, request))
          );
        },
        keep: () => {
          if (tried.length > 1) this.#helped = new Set(tried.map(fieldOf));
          for (const unique of tried) {
            if (unique.expression.kind === "unique") {
              user.known.add(unique.text, unique.before + user.unique + unique.after);
            }
            this.#texts.add(index, unique);
          }
        },
        failed: (response) => {
          this.#failed.add(key);
          namedNow = response ? namedIn(response) : [];
        },
      };
      // The server accepted these texts, and refused others.
      const others = namedNow.filter((text) => !named.includes(text));
      if (others.length > 0 && !namedNow.some((text) => tried.includes(text))) {
        untried.unshift([...tried, ...namedNow]);
      }
    }
  }

  #textsOf(index: number, newNames: readonly string[] = []): UniqueText[] {
    const { recorded } = this.#draft;
    return uniqueTexts(this.#draft.at(index), {
      isFromServer: (text) => recorded.isReceivedBefore(index, text),
      isSentBefore: (text) => recorded.isSentUpTo(index - 1, text),
      uuids: this.#draft.uuids,
      newNames,
      requests: this.#draft.requests,
    });
  }

  /**
   * Returns the names in the URL of the call `index` that a live response `shows`, and that the
   * user chose for a new object: a read, but not the first request, asks for it before any response
   * contains the name, and a write has it in its URL, too.
   */
  #newNames(index: number, shows: readonly string[]): string[] {
    const { given, recorded } = this.#draft;
    const calls = [...given.earlier(index), index, ...given.later(index)];
    return namesInUrl(this.#draft.at(index)).filter((name) => {
      const isShown = [name, name.replaceAll("_", " ")].some((form) =>
        shows.some((text) => boundedOffsets(text, form).length > 0)
      );
      if (!isShown) return false;
      const [first, ...others] = calls.filter((i) => namesInUrl(this.#draft.at(i)).includes(name));
      return first !== calls[0] && !this.#draft.isWrite(first) && others.some((i) =>
        this.#draft.isWrite(i)
      ) &&
        !recorded.isSentUpTo(first - 1, name) && !recorded.isReceivedBefore(first, name);
    });
  }

  /** Returns the dates of the plan, as on the day of the run, and one day later. */
  #shiftedDates(index: number, recordedAt: number): UniqueText[][] {
    const { given, recorded } = this.#draft;
    const all = [...given.earlier(index), index, ...given.later(index)];
    const requests = new Map(all.map((i) => [i, this.#draft.at(i)]));
    const isFixed = (text: string, source: number) => recorded.isReceivedBefore(source, text);
    return [0, 1].map((later) =>
      shiftedDates(requests, index, { recordedAt, now: Date.now(), later, isFixed })
    ).filter((dates) => dates.length > 0);
  }

  judge(index: number, isRight: boolean): void {
    this.#texts.judge(index, isRight);
  }

  /** Makes texts of refused and lost writes unique, for the next round. */
  endRound({ round, outcomes, isLast }: RepairRound): void {
    if (isLast) return;
    const lost = this.#listLostWrites(round, outcomes);
    this.#texts.endRound(lost);
    for (const index of lost.union(listDoubtfulWrites(outcomes, this.#draft))) {
      this.#tryLater(index);
    }
    for (const { index, differences } of this.#listChangedReads(round, outcomes)) {
      const [name] = this.#newNames(index, differences.map(({ live }) => live));
      if (name !== undefined) this.#tryText(index, toUnique(name, this.#draft.requests));
    }
    const good = this.#attempts.matchingCalls([round]);
    for (const { index, refusal } of this.#attempts.firstIn(round)) {
      if (refusal !== undefined && this.#draft.isWrite(index) && !good.has(index)) {
        this.#tryLater(index, refusal);
      }
    }
  }

  /**
   * Returns the writes that did their work in all iterations of an earlier round, but that a
   * response of this round does not show. The server may ignore text that it knows.
   */
  #listLostWrites(round: Round, outcomes: readonly CallOutcome[]): Set<number> {
    const isShown = (outcome: CallOutcome) =>
      matchesRecording(outcome) && outcome.unshown === undefined;
    const shown = this.#attempts.roundsBefore(round).map((earlier) =>
      Map.groupBy(this.#attempts.outcomes(earlier), ({ index }) => index)
    );
    return new Set(
      outcomes.filter((outcome) => matchesRecording(outcome) && !isShown(outcome)).map((
        { index },
      ) => index)
        .filter((index) => shown.some((calls) => calls.get(index)?.every(isShown))),
    );
  }

  /** Returns the reads that got the recorded page in an earlier round: the object exists now. */
  #listChangedReads(round: Round, outcomes: readonly CallOutcome[]): CallOutcome[] {
    const good = this.#attempts.matchingCalls(this.#attempts.roundsBefore(round));
    return outcomes.filter((outcome) =>
      !matchesRecording(outcome) && outcome.demand === undefined &&
      !this.#draft.isWrite(outcome.index) && good.has(outcome.index)
    );
  }

  /**
   * Makes a string of the write `index` unique that the server may have refused, for the next
   * round: one that the `refusal` contains, if there is one. The request cannot be repeated at once
   * if the server sends the same response again, or accepts the token of its form only once.
   */
  #tryLater(index: number, refusal?: string): void {
    this.#textsOf(index).find((unique) =>
      (refusal === undefined || boundedOffsets(refusal, unique.text).length > 0) &&
      this.#tryText(index, unique)
    );
  }

  #tryText(index: number, unique: UniqueText): boolean {
    const reason = "the application may have refused the recorded text";
    const isTried = !this.#texts.is(unique.text, "refused", "tried") &&
      this.#texts.try(index, unique, reason);
    if (isTried) {
      this.#draft.explain(
        index,
        `the server may have refused ${
          quoteValue(unique.text)
        }, so the next round sends other text`,
      );
    }
    return isTried;
  }
}

/** Returns the texts that a refusal contains, or else those whose fields it names. */
function namedTexts(
  texts: readonly UniqueText[],
  recorded: ResponseSnapshot,
  live: ResponseSnapshot,
): UniqueText[] {
  const refusals = findRefusalTexts([recorded], live);
  const shown = texts.filter(({ text }) =>
    refusals.some((refusal) => boundedOffsets(refusal.text, text).length > 0)
  );
  return shown.length > 0 ? shown : texts.filter((text) => isNamed(text, refusals));
}

/**
 * Returns the texts to change together in each trial: each named one, all named ones, then others.
 * Others alone come first, because a server may store a unique text although it refuses another.
 */
function groupsToTry(named: readonly UniqueText[], all: readonly UniqueText[]): UniqueText[][] {
  const first = named.slice(0, TRIALS_PER_CALL);
  // A user name and an e-mail address may both have to be unique.
  const together = [...new Set([...first, ...all])].slice(0, TRIALS_PER_CALL);
  const singles = together.slice(0, TRIALS_PER_CALL - 1).map((text) => [text]);
  return [
    ...singles.slice(0, first.length),
    ...(first.length > 1 ? [first] : []),
    ...singles.slice(first.length),
    ...(together.length > Math.max(1, first.length) ? [together] : []),
  ];
}

function fieldOf({ names = [] }: UniqueText): string {
  return names.join(" ");
}

function isNamed({ names = [] }: UniqueText, refusals: readonly Leaf[]): boolean {
  return refusals.some((refusal) => {
    // The path of a text in a page consists of the names of elements.
    const { path } = refusal;
    const said = nameWords(path.startsWith("$") ? `${path} ${refusal.text}` : refusal.text);
    return names.some((name) => {
      const words = nameWords(name);
      const last = words.at(-1);
      return last !== undefined && (said.includes(last) || said.includes(words.join("")));
    });
  });
}

/** Methods that may create a resource at another URL, or none. */
const CREATING_ELSEWHERE: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);

function createsUrl({ request, response }: Exchange): boolean {
  return response.status === 201 && !CREATING_ELSEWHERE.has(request.method.toUpperCase());
}

/**
 * Returns the writes that the server may have refused (see `isDoubtful`): their commands differ in
 * the same way as those of a call that no other call caused to fail.
 */
function listDoubtfulWrites(
  outcomes: readonly CallOutcome[],
  draft: PlanDraft,
): Set<number> {
  const refusal = ({ differences }: CallOutcome) => JSON.stringify(differences);
  const refusals = new Set(listFirstFailures(outcomes, draft).map(refusal));
  const doubtful = outcomes.filter((outcome) =>
    isDoubtful(outcome) && draft.isWrite(outcome.index) && refusals.has(refusal(outcome))
  );
  return new Set(doubtful.map(({ index }) => index));
}
