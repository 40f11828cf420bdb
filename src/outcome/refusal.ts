import { withoutValues } from "../comparison/align_text.ts";
import { type ComparedResponse, isRedirect } from "../comparison/compared_response.ts";
import { headerValue } from "../traffic/har/recording.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { FAILED, stateWord } from "./json_outcome.ts";
import { type Leaf, readContents } from "./leaves.ts";
import { haveSameShape } from "./shapes.ts";

/** What refuses a request, in text that no recorded response to the call contains. */
const REFUSALS = {
  /** Only if the response also differs in another way. */
  possible:
    /\b(?:expired|invalid|denied|forbidden|refused|rejected|not allowed|not permitted|unauthori[sz]ed|incorrect|mismatch|already (?:exists|taken|in use|been)|must be unique|try again|too many|failed|(?:is|currently) locked)\b/i,
  /** Also if nothing else differs: data rarely contains it. */
  certain:
    /\b(?:must be unique|(?:already|no longer) (?:exists?|taken|in use|registered|used|valid)|(?:exists?|taken|in use|registered|used) already|(?:is|are|was|were) (?:required|not (?:unique|valid|allowed|permitted))|not (?:allowed|permitted) to|(?:access|permission) denied|can(?:no|')t be (?:blank|empty|saved)|could not be (?:saved|created|updated|deleted)|duplicate (?:entry|key|name|value)|(?:session|token|form) (?:has |is )?expired)\b/i,
  /** Text that must be unique. Not `existing`: "no existing order". */
  taken:
    /\b(?:already (?:been )?(?:exists?|taken|used|in use|registered)|exists with|(?<!\bno )duplicate|(?:must be|(?:is|are) not) unique)\b/i,
  /** The last word of the name of a list that describes faults of a request. */
  list:
    /^(?:(?:error|failure|warning|problem|conflict|duplicate|violation)s?|invalid|rejected|failed|skipped|ignored|existing)$/,
};
const LONGEST_REFUSAL = 200;

/**
 * Returns the first new text that looks like a refusal, by a word such as `expired` or its place.
 * Prefers several words to a code such as `csrf`. May contain anything that the server sent.
 */
export function findRefusalText(
  recorded: readonly ComparedResponse[],
  live: ComparedResponse,
): string | undefined {
  const found = findRefusalTexts(recorded, live);
  const best = found.find(({ text }) => /\S\s+\S/.test(text)) ?? found[0];
  return best?.text.slice(0, LONGEST_REFUSAL);
}

/** Returns the texts that look like a refusal and that no recorded response contains. */
export function findRefusalTexts(
  recorded: readonly ComparedResponse[],
  live: ComparedResponse,
): Leaf[] {
  return newTexts(recorded, live, ({ text, inError }) => inError || REFUSALS.possible.test(text));
}

/** Reports whether a response refuses text that must be unique. */
export function isTextTaken(recorded: ComparedResponse, live: ComparedResponse): boolean {
  return findRefusalTexts([recorded], live).some(({ text }) => REFUSALS.taken.test(text));
}

function newTexts(
  recorded: readonly ComparedResponse[],
  live: ComparedResponse,
  isSought: (leaf: Leaf) => boolean,
): Leaf[] {
  const found = visibleTexts(live).filter(isSought);
  if (found.length === 0) return found;
  // If the recorded body is lost, a header may show that it stated the same error.
  const errors = new Set(
    recorded.flatMap(({ text, headers }) => text ? [] : headers.map(({ value }) => value)),
  );
  if (found.some(({ text, inError }) => inError && errors.has(text))) return [];
  const seen = new Set(recorded.flatMap(visibleTexts).map(({ text }) => withoutValues(text)));
  return found.filter(({ text }) => !seen.has(withoutValues(text)));
}

const IN_ROW = /\/tr\/t[dh](?:\/|$)/;
const SCRIPT_START = /<script\b[^<>]*>/i;
const SCRIPT_END = /<\/script/i;
const STRING = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g;

/** Returns the first new text in the response to a write that refuses it, also in a script. */
export function findRefusal(
  recorded: readonly ComparedResponse[],
  live: ComparedResponse,
): string | undefined {
  const messages = new Set(recorded.flatMap((response) => [...refusalsInScripts(response)]));
  const message = refusalsInScripts(live).find((text) => !messages.has(text));
  if (message !== undefined) return message;
  const [found] = newTexts(
    recorded,
    live,
    ({ text, inError, path }) =>
      REFUSALS.certain.test(text) || (inError && !IN_ROW.test(path) && /\p{L}{2}/u.test(text)),
  );
  return found?.text.slice(0, LONGEST_REFUSAL);
}

/** In a page without text, as in a hidden frame, `error` is enough: a message has any language. */
function* refusalsInScripts(response: ComparedResponse): Generator<string> {
  const { text = "" } = response;
  const scripts = text.split(SCRIPT_START).slice(1).map((rest) => rest.split(SCRIPT_END, 1)[0]);
  const showsText = scripts.length === 0 || visibleTexts(response).length > 0;
  for (const script of scripts) {
    for (const [, double, single] of script.matchAll(STRING)) {
      const message = (double ?? single).slice(0, LONGEST_REFUSAL);
      if (REFUSALS.certain.test(message) || !showsText && FAILED.includes(stateWord(message))) {
        yield message;
      }
    }
  }
}

/** Returns the first text in a new list such as `warnings` that names a string that was `sent`. */
export function findComplaint(
  recorded: readonly ComparedResponse[],
  live: ComparedResponse,
  sent: readonly string[],
): string | undefined {
  const structure = new Set(
    recorded.flatMap((response) => [...readContents(response).structure]),
  );
  const listOf = ({ path }: Leaf) =>
    Array.from(path.matchAll(/\[\]/g), ({ index }) => path.slice(0, index)).find((list) =>
      structure.has(list) && !structure.has(`${list}[]`) &&
      REFUSALS.list.test(nameWords(list).at(-1) ?? "")
    );
  const lists = Map.groupBy(visibleTexts(live), listOf);
  lists.delete(undefined);
  const found = [...lists.values()].find((texts) =>
    texts.some(({ text }) => sent.some((own) => /\p{L}{2}/u.test(own) && text.includes(own)))
  );
  return found?.[0].text.slice(0, LONGEST_REFUSAL);
}

/** Returns the strings in a JSON body, or the texts of another body, except long plain text. */
export function visibleTexts(response: ComparedResponse): Leaf[] {
  const { leaves } = readContents(response);
  const size = leaves.reduce((sum, { text, path }) => path === "" ? sum + text.length : sum, 0);
  return size > 2_000 ? [] : leaves.filter(({ isText }) => isText);
}

/** Whether the server asks for a login, or differs for this or another reason. */
export type LoginDemand = "login" | "unclear";

export interface DifferingResponse {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse;
  readonly method: string;
  readonly url: string;
  readonly refusal?: string;
}

/** Statuses that ask for a login. IIS responds with 440 if a login has expired. */
const LOGIN_STATUS: ReadonlySet<number> = new Set([401, 440]);
/** Statuses with several possible reasons. Laravel responds with 419 to a wrong CSRF token. */
const UNCLEAR_STATUS: ReadonlySet<number> = new Set([403, 419]);
/** Matches parts of the URLs of login pages and identity providers. */
const LOGIN_URL =
  /(?:^|[^a-z])(?:log-?(?:in|on)|sign-?in|sso|saml2?|adfs|oauth2?|openid(?:-connect)?|authori[sz]e|authenticat(?:e|ion)|logged-?out|session-?(?:expired|time-?out)|session\/new)(?:$|[^a-z])/;
const LOGIN_TEXT =
  /\bunauthori[sz]ed\b|\bunauthenticated\b|\bnot (?:logged|signed) in\b|\b(?:log|sign) ?in (?:again|first)\b|\b(?:log ?in|authentication) (?:is )?required\b|\b(?:session|login|access token|jwt|(?<!\b(?:csrf|xsrf|reset|activation|confirmation|invitation|verification)[ -])token)(?: has| is|'s)? (?:expired|timed out)\b|\bexpired (?:session|login|access token|jwt|token)\b/i;
const PASSWORD_FIELD = /<input\b[^<>]*\btype\s*=\s*["']?password\b/i;

/**
 * Reports whether a live response asks for a login that the recording did not need, or undefined. A
 * redirect elsewhere, status 403 and 419, and a password field after a write are unclear: the form
 * to register a user may be shown again. `isLoginPage`: a recorded page has a password field.
 */
export function findLoginDemand(
  { recorded, live, method, url, refusal }: DifferingResponse,
  isLoginPage: (path: string) => boolean,
): LoginDemand | undefined {
  const isStatusNew = live.status !== recorded.status;
  if (isStatusNew && LOGIN_STATUS.has(live.status)) return "login";
  if (isStatusNew && UNCLEAR_STATUS.has(live.status)) {
    const isChallenge = headerValue(live.headers, "www-authenticate") !== undefined;
    return isChallenge || isLoginText(refusal) ? "login" : "unclear";
  }
  if (isRedirect(live)) {
    const [from, to] = [recorded, live].map(({ headers }) => headerValue(headers, "location"));
    if (from !== undefined && to !== undefined && haveSameShape(from, to)) return undefined;
    const isLogin = (location = "") => {
      const target = URL.parse(location, url);
      return target !== null && (isLoginUrl(target) || isLoginPage(target.pathname));
    };
    return isLogin(to) && !isLogin(from) ? "login" : "unclear";
  }
  if (isLoginText(refusal)) return "login";
  if (!asksForPassword(live) || asksForPassword(recorded)) return undefined;
  return isSafeMethod(method) ? "login" : "unclear";
}

function isLoginText(refusal: string | undefined): boolean {
  return refusal !== undefined && LOGIN_TEXT.test(refusal);
}

/** Reports whether a response redirects to a login. */
export function leadsToLogin({ headers }: ComparedResponse): boolean {
  const target = URL.parse(headerValue(headers, "location") ?? "", "http://localhost/");
  return target !== null && isLoginUrl(target);
}

/** Ignores parameters whose value is a URL: many pages get that of the next page. */
function isLoginUrl({ hostname, pathname, searchParams }: URL): boolean {
  const values = [...searchParams.values()].filter((value) => !/^\/|:\/\//.test(value));
  return [hostname, pathname, ...values].some((text) =>
    LOGIN_URL.test(text.toLowerCase().replaceAll("_", "-"))
  );
}

/** Reports whether a page contains a password field. */
export function asksForPassword({ text = "" }: Pick<ComparedResponse, "text">): boolean {
  return PASSWORD_FIELD.test(text);
}
