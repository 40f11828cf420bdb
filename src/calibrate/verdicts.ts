import { isMap } from "../base/exact_number.ts";
import type { JsonPath } from "../correlation/views.ts";
import { valueAt } from "../extract/jsonpath.ts";
import { describeDifference, type ResponseDifference } from "../outcome/difference.ts";
import { isDoubtful } from "../outcome/judge_response.ts";
import { contentShape } from "../outcome/shapes.ts";
import { requestTexts } from "../plan/request_texts.ts";
import type { Request } from "../plan/kinds/request.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { percentDecodedText } from "../traffic/session/call_url.ts";
import {
  type CallOutcome,
  matchesRecording,
  type RandomFailure,
  type UnsentHeaders,
} from "./attempts.ts";
import { holdsLiteral } from "./literal_edit.ts";
import { findCauses } from "./reasons.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { UniqueRepair } from "./trial.ts";

/** Verdict of `calibrate` on a call. */
export type VerdictKind =
  | "as recorded"
  | "repaired"
  | "state"
  | "login"
  | "unclear"
  | "unclear write"
  | "user"
  | "random"
  | "refused"
  | "consequence"
  | "not sent"
  | "no response"
  | "other request"
  | "not shown";

/**
 * Verdict on one call of a plan, over all iterations of a round. `user`, `iteration` and the
 * reasons are those of the first response that does not match the recording. `foreign` is present
 * only for the kind `user`, and `unsentHeaders` only if their absence may be the reason.
 */
export interface LiveVerdict
  extends
    Partial<Pick<CallOutcome, "user" | "iteration">>,
    Pick<CallOutcome, "index" | "error" | "refusal" | "foreign" | "unsentHeaders">,
    Pick<CallOutcome, "isTaken" | "newFields" | "rateLimit"> {
  readonly kind: VerdictKind;
  readonly differences: readonly string[];
  /** True if the kind is `login` and an earlier response to the call was as recorded. */
  readonly wasAccepted?: true;
  readonly isFault?: true;
  readonly causedBy?: number;
  /** Evidence that the call fails at random. The others describe the first failed attempt. */
  readonly random?: Pick<RandomFailure, "succeeded" | "attempts" | "round" | "pause">;
}

/** What the verdicts on the calls of a round follow from. */
export interface JudgedRound {
  readonly outcomes: readonly CallOutcome[];
  readonly draft: PlanDraft;
  readonly random: readonly RandomFailure[];
  /** The texts that the plan makes unique. */
  readonly unique: readonly UniqueRepair[];
  /** Reports whether a call sends a value that was repaired, or waits for an added pause. */
  isRepaired(index: number): boolean;
  /** Reports whether all responses to a call in an earlier round matched the recording. */
  wasGood(index: number): boolean;
}

export function listVerdicts(findings: JudgedRound): LiveVerdict[] {
  return [...findings.draft.given.replayed().values()].flatMap((indexes) => {
    const outcomes = findings.outcomes.filter(({ index }) => indexes.includes(index));
    const causes = findCauses(outcomes, findings.draft);
    const byCall = Map.groupBy(outcomes, ({ index }) => index);
    return indexes.map((index): LiveVerdict => {
      const verdict = verdictOn(index, byCall.get(index) ?? [], causes, findings);
      const random = findings.random.find((failure) => failure.index === index);
      if (random !== undefined && verdict.causedBy === undefined) return randomVerdict(random);
      if (!isGood(verdict)) return verdict;
      return judgeRepetition(index, indexes, findings) ??
        judgeNames(index, byCall.get(index)!, findings) ??
        judgeLostValues(index, byCall.get(index)!, findings) ?? verdict;
    });
  });
}

/** Reports whether the response to a call matched the recording in every iteration. */
export function isGood({ kind }: LiveVerdict): boolean {
  return kind === "as recorded" || kind === "repaired";
}

/**
 * Reports whether a later response to a call differs from the recording, but the first one matched
 * it. Another user's requests may be the reason.
 */
export function wasGoodAtFirst({ kind, wasAccepted }: LiveVerdict): boolean {
  return kind === "state" || kind === "unclear" || kind === "user" || wasAccepted === true;
}

function verdictOn(
  index: number,
  own: readonly CallOutcome[],
  causes: ReadonlyMap<CallOutcome, number>,
  { outcomes, isRepaired, wasGood }: JudgedRound,
): LiveVerdict {
  if (own.length === 0) {
    const causedBy = outcomes.find((outcome) => outcome.index < index && !matchesRecording(outcome))
      ?.index;
    return { index, kind: "not sent", differences: [], causedBy };
  }
  const bad = own.filter((outcome) => !matchesRecording(outcome));
  if (bad.length === 0) return workVerdict(index, own, isRepaired(index));
  // Prefer a failure of the call itself to one that another call caused: it says more.
  const first = bad.find((outcome) => !causes.has(outcome)) ?? bad[0];
  return failureVerdict(first, failureKind(first, own, causes, wasGood(index)));
}

/** Returns the verdict on a call whose responses all match the recording: did it do its work? */
function workVerdict(
  index: number,
  own: readonly CallOutcome[],
  isRepaired: boolean,
): LiveVerdict {
  const other = own.find((outcome) => (outcome.writeDifferences ?? outcome.unshown) !== undefined);
  if (other === undefined) {
    return { index, kind: isRepaired ? "repaired" : "as recorded", differences: [] };
  }
  const { writeDifferences, unshown, user, iteration } = other;
  const kind = writeDifferences === undefined ? "not shown" : "other request";
  return { index, kind, user, iteration, differences: writeDifferences ?? [unshown!] };
}

function failureVerdict(first: CallOutcome, kind: ReturnType<typeof failureKind>): LiveVerdict {
  const { index, user, iteration, differences, error } = first;
  const { refusal, rateLimit, newFields, isTaken } = first;
  return {
    index,
    ...kind,
    user,
    iteration,
    differences: differences.map(describeDifference),
    error,
    refusal,
    foreign: kind.kind === "user" ? first.foreign : undefined,
    unsentHeaders: unsentOf(first, kind),
    newFields,
    isTaken,
    isFault: differences.some(isOfFault) || undefined,
    rateLimit,
  };
}

function isOfFault({ kind, live }: ResponseDifference): boolean {
  return kind === "message" || kind === "status" && Number(live) >= 500;
}

function failureKind(
  first: CallOutcome,
  own: readonly CallOutcome[],
  causes: ReadonlyMap<CallOutcome, number>,
  wasGoodBefore: boolean,
): Pick<LiveVerdict, "kind" | "causedBy" | "wasAccepted"> {
  const causedBy = causes.get(first);
  if (causedBy !== undefined) return { kind: "consequence", causedBy };
  if (first.unsent) return { kind: "not sent" };
  if (first.error !== undefined) return { kind: "no response" };
  // An earlier call with correct values got the recorded response, for this or another user.
  const wasGood = wasGoodBefore || own.slice(0, own.indexOf(first)).some(matchesRecording);
  if (first.demand === "login") return { kind: "login", wasAccepted: wasGood || undefined };
  if (!wasGood) return { kind: isDoubtful(first) ? "unclear write" : "refused" };
  return { kind: isOfUser(own) ? "user" : first.demand ?? "state" };
}

/**
 * Reports whether a call fails in every iteration of some users, and never for other users. Each
 * user must have made the call at least twice, because a single failure may be due to a change of
 * the application's data.
 */
function isOfUser(own: readonly CallOutcome[]): boolean {
  const users = [...Map.groupBy(own, ({ user }) => user).values()];
  const isAlways = (outcomes: readonly CallOutcome[], expected: boolean) =>
    outcomes.length > 1 && outcomes.every((outcome) => matchesRecording(outcome) === expected);
  return users.some((outcomes) => isAlways(outcomes, true)) &&
    users.some((outcomes) => isAlways(outcomes, false)) &&
    users.every((outcomes) => isAlways(outcomes, true) || isAlways(outcomes, false));
}

/**
 * Returns the recorded headers whose absence may explain a verdict. Returns none if another call
 * caused it, or if the server accepted an equal request before and does not name the headers.
 */
function unsentOf(
  { unsentHeaders }: CallOutcome,
  { kind, wasAccepted }: Pick<LiveVerdict, "kind" | "wasAccepted">,
): UnsentHeaders | undefined {
  const isNew = kind === "refused" || kind === "login" && wasAccepted === undefined;
  const mayExplain = unsentHeaders !== undefined && kind !== "consequence" &&
    (isNew || unsentHeaders.areNamed);
  return mayExplain ? unsentHeaders : undefined;
}

function randomVerdict(failure: RandomFailure): LiveVerdict {
  const { pause, succeeded, attempts, round, ...first } = failure;
  return { ...first, kind: "random", random: { succeeded, attempts, round, pause } };
}

function judgeRepetition(
  index: number,
  indexes: readonly number[],
  { draft }: JudgedRound,
): LiveVerdict | undefined {
  const entry = draft.given.entryOf(index);
  if (entry === undefined || !draft.isWrite(index)) return undefined;
  const first = indexes.find((other) => draft.given.entryOf(other) === entry)!;
  const differences = [`call ${first + 1} replays the same recorded call`];
  return first === index ? undefined : { index, kind: "other request", differences };
}

/**
 * Returns the verdict `not shown` if a call still names or shows the object of the first round: by
 * the text that an earlier call now makes unique.
 */
function judgeNames(
  index: number,
  own: readonly CallOutcome[],
  { draft, unique }: JudgedRound,
): LiveVerdict | undefined {
  const { recorded } = draft;
  for (const { recorded: text, template, source } of unique) {
    if (source > index || !draft.given.areTogether(source, index)) continue;
    const sent = namesOf(text, draft.at(index), draft.at(source)).find((name) =>
      name === text || recorded.isReceivedBefore(index, name) &&
        !recorded.isReceivedBefore(source, name) && !recorded.isSentUpTo(source, name)
    );
    const shown = own.find(({ content }) =>
      content?.some((difference) =>
        difference.kind === "earlier text" && difference.recorded === text
      )
    );
    if (sent === undefined && shown === undefined) continue;
    const what = sent === undefined ? `shows ${quoteValue(text)}` : `sends ${quoteValue(sent)}`;
    const now = `call ${source + 1} now sends ${quoteValue(template)}`;
    return { index, kind: "not shown", differences: [`it ${what}, but ${now}`] };
  }
  return undefined;
}

const WORD_OR_SPACE = "[\\p{L}\\p{N}\\s_+-]";
const WITHIN_NAMES = "[\\s_+.-]*";

/**
 * Returns the strings in a request that name the object of a text which is now unique: the text
 * itself where `makeUnique` cannot reach it, and forms of it such as `green-tea`. Omits mentions in
 * prose, uploaded files, and strings that `source` sends too, the request that creates the object:
 * the user typed them before there was an object to name.
 */
export function namesOf(text: string, request: Request, source: Request): string[] {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => RegExp.escape(word));
  if (words.length === 0) return [];
  const name = new RegExp(
    `(?<!${WORD_OR_SPACE})(?:${RegExp.escape(text)}|${words.join(WITHIN_NAMES)})` +
      `(?!${WORD_OR_SPACE}|[,.;:!?](?:\\s|$)|"\\s*:)`,
    "giu",
  );
  const typed = new Set(requestTexts(source).map(({ template }) => template));
  return requestTexts(request).flatMap(({ kind, template }) => {
    if (kind === "file" || kind === "host" || typed.has(template)) return [];
    // A digit in place of each expression is part of the word next to it.
    const fixed = parseTemplate(template).map((part) => part.kind === "text" ? part.text : "0");
    return percentDecodedText(fixed.join(""), false).match(name) ?? [];
  });
}

const MOST_VALUES = 1_000;
/** Minimum and maximum length of such a value. Shorter ones, such as years, may be constants. */
const SHORTEST_TEXT = 5;
const LONGEST_TEXT = 200;

/**
 * Returns the verdict `state` if a list in a live response to the call `index` is empty, but a
 * later request of the plan sends a value that it can only have from the recorded list: no request
 * up to the call sends the value, and no other recorded response before the later request contains
 * it. Returns undefined if the list is empty in another recorded response to an equal request.
 */
function judgeLostValues(
  index: number,
  own: readonly CallOutcome[],
  { draft }: JudgedRound,
): LiveVerdict | undefined {
  const { recorded } = draft;
  for (const { user, iteration, content } of own) {
    for (const { kind, path, place, recorded: items } of content ?? []) {
      if (kind !== "empty list" || path === undefined) continue;
      const list = valueAt(recorded.at(index)?.response.view.json, path);
      if (list === undefined || isEmptyElsewhere(index, path, recorded)) continue;
      const values = generatedValuesIn(list).filter((value) => !recorded.isSentUpTo(index, value));
      const sender = draft.given.later(index).find((later) =>
        values.some((value) =>
          holdsLiteral(draft.at(later), { value, agrees: undefined }) &&
          !recorded.indexes.some((other) =>
            other !== index && other < later && recorded.isReceivedIn(other, value)
          )
        )
      );
      if (sender === undefined) continue;
      const difference = `\`${place}\` is empty, but contains ${items} in the recording, and ` +
        `call ${sender + 1} sends a value from it`;
      return { index, kind: "state", user, iteration, differences: [difference] };
    }
  }
  return undefined;
}

/** Reports whether another recorded response to the same request has no items at `path`. */
function isEmptyElsewhere(index: number, path: JsonPath, recorded: RecordedSide): boolean {
  return recorded.alike(index).some(({ view }) => {
    const list = valueAt(view.json, path);
    return Array.isArray(list) ? list.length === 0 : isMap(list) && Object.keys(list).length === 0;
  });
}

/** Returns the texts and names in a value that are unlikely to occur elsewhere by chance. */
function generatedValuesIn(value: unknown): string[] {
  const texts = new Set<string>();
  // An explicit stack: JSON may be nested too deeply for recursion.
  const unread = [value];
  while (unread.length > 0 && texts.size < MOST_VALUES) {
    const node = unread.pop();
    if (Array.isArray(node) || isMap(node)) {
      const inner = Array.isArray(node) ? node : Object.entries(node).flat();
      for (const item of inner.toReversed()) unread.push(item);
      continue;
    }
    const text = leafText(node);
    const isLong = text !== undefined && text.length >= SHORTEST_TEXT &&
      text.length <= LONGEST_TEXT;
    if (isLong && contentShape(text) === "#") texts.add(text);
  }
  return [...texts];
}
