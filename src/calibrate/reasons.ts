import { OF_CLIENT } from "../correlation/second_session.ts";
import { callWords } from "../correlation/request_words.ts";
import { haveCommonWord } from "../correlation/words.ts";
import type { FormControl, PageForm } from "../extract/forms.ts";
import type { Outgoing } from "../http/sender.ts";
import { findLoginDemand, isTextTaken, visibleTexts } from "../outcome/refusal.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { headersIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  type CallOutcome,
  type ForeignLiteral,
  matchesRecording,
  type UnsentHeaders,
} from "./attempts.ts";
import type { PlanDraft } from "./draft.ts";
import { sendsPassword } from "../correlation/request_words.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import { contains } from "./literal_edit.ts";
import type { LiveStep } from "./trial.ts";

/**
 * Finds possible reasons why the response to the call `index` is not as recorded: a refused login,
 * text that is taken, recorded headers and new fields that the request lacks, and values that the
 * server did not send to this user. `steps` are the responses before.
 */
export function findReasons(
  index: number,
  { live, request, refusal }: {
    readonly live: ResponseSnapshot;
    readonly request: Outgoing;
    readonly refusal?: string;
  },
  draft: PlanDraft,
  steps: ReadonlyMap<number, Pick<LiveStep, "response">>,
): Pick<CallOutcome, "demand" | "unsentHeaders" | "isTaken" | "foreign" | "newFields"> {
  const { recorded } = draft;
  const { exchange, call, response } = recorded.at(index)!;
  const { method, url } = exchange.request;
  const demand = findLoginDemand(
    { recorded: response, live, method, url, refusal },
    (path) => recorded.isLoginPage(path),
  );
  const unsentHeaders = findUnsentHeaders(call, request, live);
  return {
    demand,
    unsentHeaders,
    isTaken: isTextTaken(response, live) || undefined,
    foreign: findForeignLiterals(index, draft, steps),
    newFields: draft.isWrite(index) ? findNewFields(index, draft, steps) : undefined,
  };
}

const CSRF = /csrf|xsrf/i;
/** Matches response headers that contain header names regardless of the request. */
const NAMING = /^(?:vary|set-cookie|access-control-.*)$/i;

/** If the response `live` names some of the headers that a request lacks, returns only these. */
function findUnsentHeaders(
  recorded: RecordedCall,
  request: Outgoing,
  live: ResponseSnapshot,
): UnsentHeaders | undefined {
  const present = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const unsent = headersIn(recorded).map(({ name }) => name)
    .filter((name) => !present.has(name.toLowerCase()) && !OF_CLIENT.test(name));
  if (unsent.length === 0) return undefined;
  const headers = live.headers.filter(({ name }) => !NAMING.test(name))
    .flatMap(({ name, value }) => [name, value]);
  const shown = [...visibleTexts(live).map(({ text }) => text), ...headers].join("\n");
  const named = unsent.filter((name) =>
    new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "i").test(shown) ||
    CSRF.test(name) && CSRF.test(shown)
  );
  return named.length > 0 ? { names: named, areNamed: true } : { names: unsent, areNamed: false };
}

const MOST_FOREIGN = 5;
/** Maximum length of a literal in UTF-16 code units. Longer ones are probably documents. */
const LONGEST_FOREIGN = 200;

/**
 * Returns the literals of a request that are complete fields, parameters, members or path segments,
 * and that the server sent in an earlier response in the recording, but in none of the earlier live
 * responses to the user who sent the request. Ignores headers.
 */
function findForeignLiterals(
  index: number,
  draft: PlanDraft,
  steps: ReadonlyMap<number, Pick<LiveStep, "response">>,
): ForeignLiteral[] | undefined {
  const live = [...steps].flatMap(([i, { response }]) => i < index ? [response] : []);
  const foreign = new Map<string, ForeignLiteral>();
  for (const literal of literalsOf(draft.at(index))) {
    const { value } = literal;
    const isKnown = value === "" || value.length > LONGEST_FOREIGN || foreign.has(value);
    if (isKnown || !draft.recorded.isReceivedBefore(index, value)) continue;
    if (live.some((response) => contains(response, value))) continue;
    foreign.set(value, literal);
    if (foreign.size === MOST_FOREIGN) break;
  }
  return foreign.size === 0 ? undefined : [...foreign.values()];
}

function literalsOf(request: Request): ForeignLiteral[] {
  return requestTexts(request).flatMap(({ kind, name, template }): ForeignLiteral[] => {
    if (/^(?:host|header|json-name|form-name|body)$/.test(kind)) return [];
    const [only, ...others] = parseTemplate(template);
    return others.length === 0 && only.kind === "text" ? [{ name, value: only.text }] : [];
  });
}

const MOST_FIELDS = 5;

/**
 * Returns the names of the fields that the form of a refused write has in the live page, but not in
 * the recorded one: a browser sends them with their defaults, and the plan does not.
 */
function findNewFields(
  index: number,
  draft: PlanDraft,
  steps: ReadonlyMap<number, Pick<LiveStep, "response">>,
): string[] | undefined {
  const sentNames = new Set(
    requestTexts(draft.at(index)).flatMap(({ kind, name }) =>
      kind === "form" || kind === "multipart" ? [name] : []
    ),
  );
  for (const [page, { response }] of [...steps].toReversed()) {
    const form = formOf(sentNames, response);
    const before = form && formOf(sentNames, draft.recorded.at(page)?.response);
    if (form === undefined || before === undefined) continue;
    const known = new Set([...sentNames, ...before.controls.map(({ name }) => name)]);
    const added = form.controls.map(({ name }) => name).filter((name) => !known.has(name));
    return added.length === 0 ? undefined : [...new Set(added)].slice(0, MOST_FIELDS);
  }
  return undefined;
}

/** Returns the form of a page that has most of the fields `sentNames`, if there is one. */
function formOf(
  sentNames: ReadonlySet<string>,
  page: ResponseSnapshot | undefined,
): PageForm | undefined {
  const isSent = ({ name }: FormControl) => sentNames.has(name);
  return page?.forms.find(({ controls }) => controls.filter(isSent).length * 2 > sentNames.size);
}

/** Returns the index of the failed call that caused each failed outcome of a round, if any. */
export function findCauses(
  outcomes: readonly CallOutcome[],
  draft: PlanDraft,
): Map<CallOutcome, number> {
  const causes = new Map<CallOutcome, number>();
  const failed = outcomes.filter((outcome) => !matchesRecording(outcome));
  const iterations = Map.groupBy(failed, ({ user, iteration }) => `${user} ${iteration}`);
  for (const own of iterations.values()) {
    for (const [i, outcome] of own.entries()) {
      if (outcome.isTaken) continue; // What the call itself sends is the reason.
      const cause = own.slice(0, i).find((earlier) => explains(earlier, outcome, draft));
      if (cause !== undefined) causes.set(outcome, causes.get(cause) ?? cause.index);
    }
  }
  return causes;
}

function explains(failed: CallOutcome, { index }: CallOutcome, draft: PlanDraft): boolean {
  if (failed.demand === "login" || failed.error !== undefined && !failed.unsent) return true;
  const isSource = draft.at(failed.index).extract?.some(({ name }) =>
    draft.values.usesOf(failed.index, name).consumers.includes(index)
  );
  const [call, later] = [failed.index, index].map((at) => draft.recorded.at(at)?.call);
  if (isSource || call === undefined || later === undefined) return true;
  if (sendsPassword(call)) return true;
  const [words, others] = [callWords(call), callWords(later)];
  if (draft.isWrite(failed.index) && (words.length === 0 || others.length === 0)) return true;
  return haveCommonWord(words, others);
}

/** Returns the first failure of each call that no other call caused. */
export function listFirstFailures(
  outcomes: readonly CallOutcome[],
  draft: PlanDraft,
): CallOutcome[] {
  const causes = findCauses(outcomes, draft);
  const own = outcomes.filter((outcome) => !matchesRecording(outcome) && !causes.has(outcome));
  return [...Map.groupBy(own, ({ index }) => index).values()].map(([first]) => first);
}
