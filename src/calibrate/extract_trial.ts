import { alignResponses } from "../comparison/align.ts";
import type { ValuePair } from "../comparison/compared_response.ts";
import { KnownPairs } from "../comparison/known_pairs.ts";
import { piecesOf, type Use } from "../correlation/pieces.ts";
import { isOfSendingPage } from "../correlation/agreement.ts";
import { isLikelier, type LikelySource } from "../correlation/choose_source.ts";
import { evidenceFor } from "../correlation/evidence.ts";
import { sumOf } from "../correlation/prior.ts";
import { SecondSession } from "../correlation/second_session.ts";
import { SessionEvidence } from "../correlation/session_evidence.ts";
import { sourceAt } from "../correlation/source.ts";
import { requestMethod } from "../plan/kinds/request.ts";
import type { RequestText } from "../plan/request_texts.ts";
import type { RequestFieldKind } from "../traffic/session/request_field.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import type { Extractions } from "./extractions.ts";
import { isFromClient, placeOf, placeOfUse } from "./learned_pairs.ts";
import { isWeak, type SoughtLiteral, textsOf } from "./literal_edit.ts";
import {
  type ExtractedRepair,
  type FailedCall,
  MOST_TRIALS,
  type Trial,
  type TrialKind,
} from "./trial.ts";
import type { VariableWatch } from "./variable_watch.ts";

interface OtherSource extends LikelySource {
  readonly index: number;
  readonly use: Use;
  readonly pair: ValuePair;
  /** The call, the place of the value in it, and the recorded place of the source. */
  readonly key: string;
}

const TRIALS_PER_CALL = 3;
/** Statuses of responses to requests for objects that do not exist. */
const UNKNOWN: ReadonlySet<number> = new Set([404, 410]);
/** Sum of evidence below which a place is certainly not the source of a value. */
const LEAST_EVIDENCE = -5;

/**
 * Takes the values that a failed call sends from other places: those in earlier responses of the
 * same iteration that contained the recorded value and now contain another one than was sent.
 */
export class ExtractTrials implements TrialKind {
  readonly #draft: PlanDraft;
  readonly #variables: VariableWatch;
  readonly #extractions: Extractions;
  readonly #session: SessionEvidence;
  /** Keys of the sources that were tried. In later passes, others come first. */
  readonly #tried = new Set<string>();
  #left = MOST_TRIALS;

  constructor(
    draft: PlanDraft,
    variables: VariableWatch,
    extractions: Extractions,
  ) {
    this.#draft = draft;
    this.#variables = variables;
    this.#extractions = extractions;
    this.#session = new SessionEvidence(draft.recorded.calls);
  }

  *propose(failed: FailedCall): Generator<Trial> {
    for (const source of this.#sources(failed).slice(0, TRIALS_PER_CALL)) {
      if (this.#left === 0) return;
      this.#left--;
      this.#tried.add(source.key);
      yield this.#trialOf(source, failed);
    }
  }

  /** Makes the call extract the value from another source, in place of the current variables. */
  #trialOf(
    { index: source, use, pair }: OtherSource,
    { outcome: { index }, user, others }: FailedCall,
  ): Trial {
    const { recorded, live } = pair;
    const literal = literalAt(use);
    const { agrees } = literal;
    const steps = [user, ...others].flatMap(({ steps }) => steps.get(source) ?? []);
    const variables = this.#variables.sentBy(index, recorded);
    const unknown = steps.filter(({ known }) => known.liveOf(recorded) === undefined);
    let repair: ExtractedRepair | undefined;
    return {
      what: `${quoteValue(live)}, from the response to call ${source + 1}, instead of ` +
        quoteValue(recorded),
      edit: () => {
        const before = this.#draft.save();
        for (const used of variables) {
          const { source, variable } = used;
          // The variable may be right elsewhere.
          if (agrees === undefined) this.#draft.values.removeVariable(source, variable, used);
          else this.#draft.values.restoreLiteral(index, variable, used, agrees);
        }
        const { response } = this.#draft.recorded.at(source)!;
        const learned = { recorded, live, pairs: [pair], literal };
        repair = this.#extractions.repair(source, learned, response, steps);
        if (repair === undefined) this.#draft.restore(before);
      },
      keep: () => {
        if (repair === undefined) return;
        for (const { source, variable } of agrees === undefined ? variables : []) {
          this.#variables.forget(source, variable);
        }
        this.#extractions.keep(repair);
      },
      failed: () => {
        for (const { known } of unknown) known.forget(recorded);
      },
    };
  }

  /**
   * Returns the best source for each other value that the call may have to send, best first. Those
   * that were tried, and other values of variables that are right in the same place of an earlier
   * call come last.
   */
  #sources(failed: FailedCall): OtherSource[] {
    const { outcome: { index }, step: { call }, sentCall, user } = failed;
    const session = new SecondSession([{ call, responses: [], again: sentCall }]);
    const byValue = Map.groupBy(this.#suspects(failed, session), ({ value }) => value);
    const best = new Map<string, OtherSource>();
    for (const [source, { response }] of user.steps) {
      const step = this.#draft.recorded.at(source);
      if (source >= index || step === undefined) continue;
      if (!this.#draft.recorded.mayRead(index, source)) continue;
      for (const pair of alignResponses(step.response, response, new KnownPairs())) {
        for (const use of byValue.get(pair.recorded) ?? []) {
          if (session.sentInstead(use) === pair.live) continue;
          if (isFromClient(source, literalAt(use), this.#draft)) continue;
          const place = sourceAt(step.call, pair.at, 0);
          const score = sumOf(evidenceFor(use, place, place, this.#session));
          const isOfPage = isOfSendingPage(use, place);
          const sent = `${placeOfUse(use)} ${pair.live}`;
          if (score < LEAST_EVIDENCE || !isLikelier({ isOfPage, score }, best.get(sent))) continue;
          const key = JSON.stringify([index, placeOfUse(use), source, place.key, place.left]);
          best.set(sent, { index: source, use, pair, score, isOfPage, key });
        }
      }
    }
    const known = this.#rightPlaces(failed);
    const rank = ({ use, key }: OtherSource) =>
      Number(known.has(placeOfUse(use))) + Number(this.#tried.has(key));
    return [...best.values()].sort((a, b) => rank(a) - rank(b) || b.score - a.score);
  }

  /** Returns the places where an earlier call that is as recorded sends the same variables. */
  #rightPlaces({ outcome: { index }, user }: FailedCall): Set<string> {
    const sent = (i: number) =>
      textsOf(this.#draft.at(i)).filter(({ template }) => template.includes("${"))
        .map((text) => ({ place: placeOf(text), key: `${placeOf(text)} ${text.template}` }));
    const earlier = user.steps.keys().filter((i) => i < index);
    const right = new Set(earlier.flatMap((i) => sent(i).map(({ key }) => key)));
    return new Set(sent(index).flatMap(({ place, key }) => right.has(key) ? [place] : []));
  }

  /** Returns the values in the request that may be the reason why it failed. */
  #suspects({ outcome: { index }, step: { call }, live }: FailedCall, session: SecondSession) {
    if (requestMethod(this.#draft.at(index)) === "DELETE") return [];
    const isWrite = this.#draft.isWrite(index);
    // Other refusals of a write rather need other text.
    const isUnknown = !isWrite || UNKNOWN.has(live.status);
    // Another target of a write is another object, which may belong to another user.
    const isTarget = (kind: RequestFieldKind) => kind === "path" && isWrite;
    return call.fields.filter(({ kind }) => kind !== "header" && !isTarget(kind))
      .flatMap((field) => piecesOf(call, field)).filter((use) =>
        (use.fills === "whole" || !isWeak(use.value)) &&
        (isUnknown || session.sentInstead(use) === use.value)
      );
  }
}

/** Returns the value of a use. A value that is not distinctive is only replaced at its place. */
function literalAt(use: Use): SoughtLiteral {
  const place = placeOfUse(use);
  const agrees = (text: RequestText) => placeOf(text) === place;
  return { value: use.value, agrees: isWeak(use.value) ? agrees : undefined };
}
