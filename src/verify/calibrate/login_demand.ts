import { headerValue } from "../../traffic/har/har_fields.ts";
import { isRedirect } from "../../correlation/compared_response.ts";
import { haveSameShape } from "../../outcome/url_shape.ts";
import { isSafeMethod } from "../../traffic/session/recorded_call.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/**
 * What a live response says about the user's login if it differs from the recorded response:
 *
 * - `login`: the server asks for a login.
 * - `unclear`: the server may have refused the login, or the response differs for another reason.
 */
export type LoginDemand = "login" | "unclear";

/** A recorded response and a live response to the same call that differs from it. */
export interface DifferingResponse {
  readonly recorded: ResponseSnapshot;
  readonly live: ResponseSnapshot;
  readonly method: string;
  /** Absolute URL of the call. */
  readonly url: string;
  /** Text in the live response that reads like a refusal, if any. */
  readonly refusal?: string;
}

/** Statuses that ask for a login. IIS responds with 440 if a login has expired. */
const LOGIN_STATUS: ReadonlySet<number> = new Set([401, 440]);
/** Statuses with several possible reasons. Laravel responds with 419 to a wrong CSRF token. */
const UNCLEAR_STATUS: ReadonlySet<number> = new Set([403, 419]);
/** Matches parts of the URLs of login pages and identity providers. */
const LOGIN_URL =
  /(?:^|[^a-z])(?:log-?(?:in|on)|sign-?in|sso|saml2?|adfs|oauth2?|openid(?:-connect)?|authori[sz]e|authenticat(?:e|ion)|logged-?out|session-?(?:expired|time-?out)|session\/new)(?:$|[^a-z])/;
/** Matches refusals that name the login or the session. */
const LOGIN_TEXT =
  /\bunauthori[sz]ed\b|\bunauthenticated\b|\bnot (?:logged|signed) in\b|\b(?:log|sign) ?in (?:again|first)\b|\b(?:log ?in|authentication) (?:is )?required\b|\b(?:session|login|access token|jwt|(?<!\b(?:csrf|xsrf|reset|activation|confirmation|invitation|verification)[ -])token)(?: has| is|'s)? (?:expired|timed out)\b|\bexpired (?:session|login|access token|jwt|token)\b/i;
const PASSWORD_FIELD = /<input\b[^<>]*\btype\s*=\s*["']?password\b/i;

/**
 * Reports whether a live response asks for a login that the recording did not need. Returns
 * undefined if it gives no sign of this. A redirect to an unrecorded target and status 403 and 419
 * have several possible reasons. So does a password field in the response to a write: the form to
 * register a user may be shown again. `recordedSide` shows which recorded pages contain a password
 * field.
 */
export function findLoginDemand(
  { recorded, live, method, url, refusal }: DifferingResponse,
  recordedSide: RecordedSide,
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
      return target !== null && (isLoginUrl(target) || isLoginPage(target.pathname, recordedSide));
    };
    return isLogin(to) && !isLogin(from) ? "login" : "unclear";
  }
  if (isLoginText(refusal)) return "login";
  const hasPassword = PASSWORD_FIELD.test(live.text ?? "") &&
    !PASSWORD_FIELD.test(recorded.text ?? "");
  if (!hasPassword) return undefined;
  return isSafeMethod(method) ? "login" : "unclear";
}

function isLoginText(refusal: string | undefined): boolean {
  return refusal !== undefined && LOGIN_TEXT.test(refusal);
}

/**
 * Reports whether a URL names a login. Ignores parameters whose value is a URL, because login pages
 * and other pages get the URL of the next page in this way.
 */
function isLoginUrl({ hostname, pathname, searchParams }: URL): boolean {
  const values = [...searchParams.values()].filter((value) => !/^\/|:\/\//.test(value));
  return [hostname, pathname, ...values].some((text) =>
    LOGIN_URL.test(text.toLowerCase().replaceAll("_", "-"))
  );
}

/** Reports whether a recorded response to a request for a path contains a password field. */
function isLoginPage(path: string, recorded: RecordedSide): boolean {
  return recorded.indexes.some((index) => {
    const { exchange: { request }, response } = recorded.at(index)!;
    return URL.parse(request.url)?.pathname === path && PASSWORD_FIELD.test(response.text ?? "");
  });
}
