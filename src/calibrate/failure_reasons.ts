import { callWords, haveCommonWord } from "../correlation/words.ts";
import { OF_CLIENT } from "../correlation/second_session.ts";
import { type FormControl, type PageForm, readForms } from "../extract/forms.ts";
import { MarkupError, parseHtml } from "../extract/parse_html.ts";
import type { Outgoing } from "../http/sender.ts";
import { isDoubtful } from "../outcome/judge_response.ts";
import { findLoginDemand, findRefusalTexts, visibleTexts } from "../outcome/refusal.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { headersIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  type CallOutcome,
  type ForeignLiteral,
  isAsRecorded,
  type UnsentHeaders,
} from "./attempts.ts";
import { isWriteRequest } from "./budget.ts";
import type { PlanDraft } from "./draft.ts";
import { boundedOffsets } from "./literal_edit.ts";
import {
  type RecordedSide,
  type RecordedStep,
  type ResponseSnapshot,
  sendsPassword,
} from "./recorded_side.ts";

/** Matches a refusal of text that must be unique. Not `existing`: "no existing order". */
const TAKEN =
  /\b(?:already (?:been )?(?:exists?|taken|used|in use|registered)|exists with|(?<!\bno )duplicate|(?:must be|(?:is|are) not) unique)\b/i;

/** A live response that is not as recorded, and what was sent. */
export interface FailedResponse {
  readonly step: RecordedStep;
  readonly live: ResponseSnapshot;
  readonly sent: Outgoing;
  /** Text in the response that reads like a refusal, if any. */
  readonly refusal: string | undefined;
}

/**
 * Finds possible reasons why a response is not as recorded: a refused login, text that is taken,
 * and recorded headers that the request lacks.
 */
export function findReasons(
  { step: { exchange, call, response }, live, sent, refusal }: FailedResponse,
  recorded: RecordedSide,
): Pick<CallOutcome, "demand" | "unsentHeaders" | "isTaken"> {
  const { method, url } = exchange.request;
  const shown = {
    recorded: response,
    live,
    method,
    url,
    ...(refusal !== undefined && { refusal }),
  };
  const demand = findLoginDemand(shown, (path) => recorded.isLoginPage(path));
  const unsentHeaders = findUnsentHeaders(call, sent, live);
  const isTaken = findRefusalTexts([response], live).some(({ text }) => TAKEN.test(text));
  return {
    ...(demand && { demand }),
    ...(unsentHeaders && { unsentHeaders }),
    ...(isTaken && { isTaken }),
  };
}

const CSRF = /csrf|xsrf/i;
/** Matches response headers that contain header names regardless of the request. */
const NAMING = /^(?:vary|set-cookie|access-control-.*)$/i;

/** If the response `live` names some of the headers that a request lacks, returns only these. */
function findUnsentHeaders(
  recorded: RecordedCall,
  sent: Outgoing,
  live: ResponseSnapshot,
): UnsentHeaders | undefined {
  const present = new Set(sent.headers.map(([name]) => name.toLowerCase()));
  const unsent = headersIn(recorded).map(({ name }) => name)
    .filter((name) => !present.has(name.toLowerCase()) && !OF_CLIENT.test(name));
  if (unsent.length === 0) return undefined;
  const headers = live.headers.filter(({ name }) => !NAMING.test(name))
    .flatMap(({ name, value }) => [name, value]);
  const said = [...visibleTexts(live).map(({ text }) => text), ...headers].join("\n");
  const named = unsent.filter((name) =>
    new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "i").test(said) ||
    CSRF.test(name) && CSRF.test(said)
  );
  return named.length > 0 ? { names: named, areNamed: true } : { names: unsent, areNamed: false };
}

const MOST_FOREIGN = 5;
/** Maximum length of a literal in UTF-16 code units. Longer ones are probably documents. */
const LONGEST_FOREIGN = 200;

/**
 * Returns the literals of a request that are complete fields, parameters, members or path segments,
 * and that the server sent in an earlier response in the recording, but in none of the earlier live
 * responses to the user who sent the request. `steps` contains these, by the number of the request.
 * Ignores headers.
 */
export function findForeignLiterals(
  index: number,
  request: Request,
  recorded: RecordedSide,
  steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>,
): Pick<CallOutcome, "foreign"> {
  const live = [...steps].flatMap(([i, { response }]) => i < index ? [response] : []);
  const found = new Map<string, ForeignLiteral>();
  for (const literal of literalsOf(request)) {
    const { value } = literal;
    const isKnown = value === "" || value.length > LONGEST_FOREIGN || found.has(value);
    if (isKnown || !recorded.isReceivedBefore(index, value)) continue;
    if (live.some((response) => contains(response, value))) continue;
    found.set(value, literal);
    if (found.size === MOST_FOREIGN) break;
  }
  return found.size === 0 ? {} : { foreign: [...found.values()] };
}

function literalsOf(request: Request): ForeignLiteral[] {
  return requestTexts(request).flatMap(({ kind, name, template }): ForeignLiteral[] => {
    if (/^(?:host|header|json-name|form-name|body)$/.test(kind)) return [];
    const [only, ...others] = parseTemplate(template);
    return others.length === 0 && only.kind === "text" ? [{ name, value: only.text }] : [];
  });
}

function contains({ text, headers }: ResponseSnapshot, value: string): boolean {
  return boundedOffsets(text ?? "", value).length > 0 ||
    headers.some((header) => boundedOffsets(header.value, value).length > 0);
}

const MOST_FIELDS = 5;

/**
 * Returns the names of the fields that the form of a refused write has in the live page, but not in
 * the recorded one: a browser sends them with their defaults, and the plan does not. `steps`
 * contains the earlier live responses to the user, by the number of the request.
 */
export function findNewFields(
  request: Request,
  recorded: RecordedSide,
  steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>,
): Pick<CallOutcome, "newFields"> {
  const sent = new Set(
    requestTexts(request).filter(({ kind }) => kind === "form" || kind === "multipart")
      .map(({ name }) => name),
  );
  if (sent.size === 0) return {};
  for (const [index, { response }] of [...steps].toReversed()) {
    const form = formOf(sent, response);
    const before = form && formOf(sent, recorded.at(index)?.response);
    if (form === undefined || before === undefined) continue;
    const known = new Set([...sent, ...before.controls.map(({ name }) => name)]);
    const added = form.controls.map(({ name }) => name).filter((name) => !known.has(name));
    return added.length === 0 ? {} : { newFields: [...new Set(added)].slice(0, MOST_FIELDS) };
  }
  return {};
}

/** Returns the form of a page that has most of the fields `sent`, if there is one. */
function formOf(
  sent: ReadonlySet<string>,
  page: ResponseSnapshot | undefined,
): PageForm | undefined {
  if (page === undefined || !page.mimeType.includes("html")) return undefined;
  const isSent = ({ name }: FormControl) => sent.has(name);
  return readPage(page).find(({ controls }) => controls.filter(isSent).length * 2 > sent.size);
}

function readPage(page: ResponseSnapshot): readonly PageForm[] {
  try {
    return readForms(page.view.html(parseHtml));
  } catch (error) {
    if (error instanceof MarkupError) return [];
    throw error;
  }
}

/**
 * Returns the zero-based index of the failed call that caused each failed outcome. Omits outcomes
 * that no other call explains. `outcomes` are those of one round.
 */
export function findCauses(
  outcomes: readonly CallOutcome[],
  draft: PlanDraft,
  recorded: RecordedSide,
): Map<CallOutcome, number> {
  const causes = new Map<CallOutcome, number>();
  const failed = outcomes.filter((outcome) => !isAsRecorded(outcome));
  const iterations = Map.groupBy(failed, ({ user, iteration }) => `${user} ${iteration}`);
  for (const own of iterations.values()) {
    for (const [i, outcome] of own.entries()) {
      if (outcome.isTaken) continue; // What the call itself sends is the reason.
      const cause = own.slice(0, i).find((earlier) => explains(earlier, outcome, draft, recorded));
      if (cause !== undefined) causes.set(outcome, causes.get(cause) ?? cause.index);
    }
  }
  return causes;
}

function explains(
  failed: CallOutcome,
  { index }: CallOutcome,
  draft: PlanDraft,
  recorded: RecordedSide,
): boolean {
  if (failed.demand === "login" || failed.error !== undefined && !failed.unsent) return true;
  const request = draft.at(failed.index);
  const isSource = request.extract?.some(({ name }) =>
    draft.usesOf(failed.index, name).consumers.includes(index)
  );
  const [call, later] = [failed.index, index].map((one) => recorded.at(one)?.call);
  if (isSource || call === undefined || later === undefined) return true;
  if (sendsPassword(call)) return true;
  const [words, others] = [callWords(call), callWords(later)];
  if (isWriteRequest(request) && (words.length === 0 || others.length === 0)) return true;
  return haveCommonWord(words, others);
}

/**
 * Reports whether later responses in the iteration say nothing about the plan, because a write had
 * no effect, the user is no longer logged in, or the server did not respond.
 */
export function isSessionLost(outcome: CallOutcome, isWrite: boolean): boolean {
  const { differences, error, unsent, demand } = outcome;
  if (error !== undefined) return isWrite || !unsent;
  if (differences.length === 0) return false;
  return isWrite || demand === "login" ||
    differences.some(({ kind, live }) =>
      kind === "location" || (kind === "status" && /^(?:3..|401|403)$/.test(live))
    );
}

/**
 * Returns the first failure of each call in a round. Omits failures that an earlier failure in the
 * same iteration explains. `isWrite` reports whether a call may change data.
 */
export function listFirstFailures(
  outcomes: readonly CallOutcome[],
  isWrite: (index: number) => boolean,
): CallOutcome[] {
  const lost = new Set<string>();
  const first = new Map<number, CallOutcome>();
  for (const outcome of outcomes) {
    const { user, iteration, index } = outcome;
    const key = `${user} ${iteration}`;
    if (isAsRecorded(outcome) || lost.has(key)) continue;
    if (isSessionLost(outcome, isWrite(index))) lost.add(key);
    if (!first.has(index)) first.set(index, outcome);
  }
  return [...first.values()];
}

/**
 * Returns the indexes of the writes that the server may have refused (see `isDoubtful`). Omits
 * writes that failed after another call in the same iteration, unless their commands differ in the
 * same way as those of the first call that failed.
 */
export function listDoubtfulWrites(
  outcomes: readonly CallOutcome[],
  isWrite: (index: number) => boolean,
): number[] {
  const refusal = ({ differences }: CallOutcome) => JSON.stringify(differences);
  const refusals = new Set(listFirstFailures(outcomes, isWrite).map(refusal));
  const doubtful = outcomes.filter((outcome) =>
    isDoubtful(outcome) && isWrite(outcome.index) && refusals.has(refusal(outcome))
  );
  return [...new Set(doubtful.map(({ index }) => index))].sort((a, b) => a - b);
}
