import { type Exchange, headerValue } from "../../traffic/har/recording.ts";
import { dynamicShape, nameHint, nameWords } from "../../traffic/session/dynamic_value.ts";
import { placeName } from "../recorded/call_places.ts";
import { changesData } from "../recorded/changes_data.ts";
import type { RecordedSession } from "../session/recorded_session.ts";
import { generatedValues, looksRandom } from "../values/generated_values.ts";
import { embeddedTime, parseTimestamp } from "../values/timestamps.ts";
import { holderNames } from "./holder_names.ts";

/** Whether a fresh server would generate a different value. */
export type Assessment =
  /**
   * A fresh server would generate a different value: the value belongs to the recorded session or
   * to an object created in it.
   */
  | "fresh"
  /** A fresh server may or may not generate a different value. */
  | "unknown"
  /**
   * A fresh server would probably generate the same value: the value looks like a constant of the
   * application.
   */
  | "constant";

/**
 * Matches names of tokens. A value under such a name belongs to the session even if it is a number.
 */
const TOKEN = /token|csrf|xsrf|nonce|session|jwt|viewstate|captcha/i;
/**
 * Matches names such as `ticket`. A value under such a name belongs to the session unless it is a
 * number.
 */
const SESSION =
  /ticket|signature|verif|challenge|relaystate|saml|authoriz|authenti|secret|^auth$|(?:^|[_-])(?:sid|state|code|otp|cursor)$|(?:State|Code|Sid)$/i;
/** Words in names of values that stay the same for all sessions of an application. */
const CONSTANT = new Set([
  ...["client", "clientid", "app", "application", "tenant", "version", "ver", "build", "revision"],
  ...["v", "hash", "locale", "lang", "language", "site", "integrity", "charset", "width", "height"],
  ...["api", "apikey", "public", "year", "limit", "size", "count", "total", "timeout"],
]);

/** Matches names of content hashes. */
const HASH = /hash|digest|checksum|sha-?\d|md5|crc/i;
/** Minimum length of a content hash, in UTF-16 code units. */
const SHORTEST_HASH = 20;
/** MD5, SHA-1 and SHA-256 hashes of the empty string. */
const EMPTY_HASHES: ReadonlySet<string> = new Set([
  "d41d8cd98f00b204e9800998ecf8427e",
  "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
]);

/** Matches paths of calls that log in. Their responses contain ids of existing objects. */
const LOGIN = /\/[\w.-]*(?:log-?in|sign-?in|sessions?|auth|token)[\w.-]*\/?$/i;
/**
 * Minimum length of a sequence of letters and digits that is assumed to be a token rather than an
 * abbreviation or a version.
 */
const LONG_RUN = 16;
const TEN_YEARS = 10 * 365 * 86_400_000;
/** Maximum allowed difference between the clocks of the browser and the server, in milliseconds. */
const CLOCK_SKEW = 5 * 60_000;

/** Decides, based on the recording, whether values in responses belong to the session. */
export class Assessor {
  readonly #session: RecordedSession;
  readonly #startedAt: number;
  readonly #endedAt: number;
  readonly #writes: Map<string, Exchange>;

  constructor(session: RecordedSession) {
    const { exchanges } = session;
    this.#session = session;
    this.#startedAt = exchanges.reduce((min, one) => Math.min(min, one.startedAt), Infinity);
    this.#endedAt = exchanges.reduce((max, one) => Math.max(max, one.endedAt), -Infinity);
    this.#writes = redirectingWrites(exchanges);
  }

  /**
   * Judges a server-generated value. `holder` is the first exchange whose response contains it, and
   * `place` is the name of the place at which a request sends it, such as `form csrf_token`.
   */
  assess(value: string, holder: Exchange, place: string): Assessment {
    const sentAs = placeName(place);
    const names = [sentAs, ...holderNames(value, holder)];
    const isNumber = /^\d+$/.test(value);
    const time = embeddedTime(value);
    const inSession = time !== undefined && time >= this.#startedAt - CLOCK_SKEW &&
      time <= this.#endedAt + CLOCK_SKEW;
    if (EMPTY_HASHES.has(value.toLowerCase())) return "constant";
    const isToken = names.some((name) => TOKEN.test(name) || (!isNumber && SESSION.test(name)));
    const isConstantName = !isToken && names.some(isConstant);
    if (this.#isAsset(value) || isConstantName) return "constant";
    // Servers rarely compare a timestamp with the one that they sent.
    if (isTimestamp(value, this.#endedAt) && !isToken) return inSession ? "unknown" : "constant";
    if (!isToken && !inSession && this.#isDerived(value, holder)) return "unknown";
    if (isToken || inSession || this.#isCreated(value, holder, isNumber && !isId(names, place))) {
      return "fresh";
    }
    if (this.#changes(value, holder, names)) return "fresh";
    if (time !== undefined && time < this.#startedAt - CLOCK_SKEW) return "constant";
    const { agreeing = 0 } = this.#session.origins.of(value) ?? {};
    if (agreeing >= 2) return "constant";
    return isLongToken(value, names) ? "fresh" : "unknown";
  }

  /**
   * Judges a short id that a request sends at `place`. `holder` is the first exchange whose
   * response contains it.
   */
  assessId(value: string, holder: Exchange, place: string): Assessment {
    const isToken = TOKEN.test(placeName(place));
    return isToken || this.#isCreated(value, holder, false) ? "fresh" : "unknown";
  }

  /**
   * Reports whether a static asset contains the value. Such a value belongs to the application, not
   * to a session.
   */
  #isAsset(value: string): boolean {
    const { assets, origins } = this.#session;
    if (assets.size === 0) return false;
    if (origins.of(value)?.holders.some((holder) => assets.has(holder))) return true;
    return [...assets].some(({ request }) => request.url.includes(value));
  }

  /**
   * Reports whether a value probably belongs to an object that a write created: the value first
   * occurs in `holder`, which is the response to the write or the page to which it redirects.
   * Numbers that are not ids do not count, and neither do numbers from a login, which belong to
   * existing objects. Names without digits do not count: servers give a new object the name that it
   * had in the recording, unless that name is taken.
   */
  #isCreated(value: string, holder: Exchange, isPlainNumber: boolean): boolean {
    if (!/\d/.test(value) && generatedValues(value).length === 0) return false;
    const write = changesData(holder)
      ? holder
      : this.#writes.get(withoutFragment(holder.request.url));
    if (write === undefined || write.index > holder.index || isPlainNumber) return false;
    return !/^\d{1,10}$/.test(value) || !LOGIN.test(new URL(write.request.url).pathname);
  }

  /**
   * Reports whether a value may be a hash of what the client sent: the request of `holder` contains
   * a hash of the same length and alphabet. In that case, a fresh server returns the same value.
   */
  #isDerived(value: string, holder: Exchange): boolean {
    const whole = runAround(value, holder.response.text ?? "");
    if (whole.length < SHORTEST_HASH) return false;
    const { fields = [] } = this.#session.byEntry.get(holder.index + 1) ?? {};
    const isLike = (name: string, sent: string) =>
      HASH.test(name) && sent.length === whole.length && sent !== whole &&
      getAlphabet(sent) === getAlphabet(whole);
    return fields.some((field) =>
      isLike(field.name, field.value) ||
      field.parts().some(({ name, start, end }) => isLike(name, field.value.slice(start, end)))
    );
  }

  /**
   * Reports whether another response to the same call has a different value under the same name.
   */
  #changes(value: string, holder: Exchange, names: readonly string[]): boolean {
    const same = this.#session.exchanges.filter((other) =>
      other !== holder && other.request.method === holder.request.method &&
      pathOf(other) === pathOf(holder) && other.response.text !== undefined
    );
    const held = holder.response.text ?? "";
    return names.some((name) => {
      if (name === "" || name === "value" || name === "content") return false;
      const own = valuesUnder(name, held);
      if (own.size !== 1 || ![...own][0].includes(value)) return false;
      return same.some((other) => {
        const others = valuesUnder(name, other.response.text!);
        return others.size === 1 && ![...others][0].includes(value);
      });
    });
  }
}

/** Matches a character that can be part of a hash in base64 or hexadecimal notation. */
const HASH_CHARACTER = /[\w+/=-]/;

/**
 * Returns the first occurrence of `value` in `text`, with the adjacent characters that can be part
 * of a hash. Returns `value` if `text` does not contain it.
 */
export function runAround(value: string, text: string): string {
  const at = text.indexOf(value);
  if (at < 0) return value;
  let start = at;
  while (start > 0 && HASH_CHARACTER.test(text[start - 1])) start--;
  let end = at + value.length;
  while (end < text.length && HASH_CHARACTER.test(text[end])) end++;
  return text.slice(start, end);
}

/** Reports whether a number's names or its position suggest that it is the id of an object. */
function isId(names: readonly string[], place: string): boolean {
  return place.startsWith("path segment") || names.some((name) => nameHint(name).idLike);
}

/**
 * Reports whether a value is a timestamp. A number counts only if it represents a time within ten
 * years of `now`, because other numbers can have as many digits.
 */
function isTimestamp(value: string, now: number): boolean {
  const time = parseTimestamp(value)?.ms;
  return time !== undefined && (!/^\d+$/.test(value) || Math.abs(time - now) < TEN_YEARS);
}

/** Classifies the characters of a hash. */
function getAlphabet(text: string): "hexadecimal" | "base64" | "other" {
  if (/^[\da-f]+$/i.test(text)) return "hexadecimal";
  return /^[\w+/-]+=*$/.test(text) ? "base64" : "other";
}

function isConstant(name: string): boolean {
  return nameWords(name).some((word) => CONSTANT.has(word));
}

/**
 * Reports whether a value is a long token and not the id of an object, which can outlive a session.
 */
function isLongToken(value: string, names: readonly string[]): boolean {
  const shape = dynamicShape(value);
  if (shape === "uuid" || shape === "number") return false;
  if (names.some((name) => /(?:^|[_-]|[a-z])ids?$/i.test(name))) return false;
  return shape === "jwt" ||
    (value.length >= LONG_RUN && looksRandom(value, value.match(/\d/g)?.length ?? 0));
}

/** Returns the writes whose response is a redirect, keyed by the redirect target. */
function redirectingWrites(exchanges: readonly Exchange[]): Map<string, Exchange> {
  const writes = new Map<string, Exchange>();
  for (const exchange of exchanges) {
    const { request, response } = exchange;
    const location = headerValue(response.headers, "location");
    const target = location && URL.parse(location, request.url)?.href;
    if (!target) continue;
    const write = changesData(exchange) ? exchange : writes.get(withoutFragment(request.url));
    if (write !== undefined) writes.set(withoutFragment(target), write);
  }
  return writes;
}

function withoutFragment(url: string): string {
  return url.replace(/#.*/s, "");
}

function pathOf({ request }: Exchange): string {
  return request.url.replace(/[?#].*/s, "");
}

/** Returns the distinct values that JSON members and form inputs named `name` have in `text`. */
function valuesUnder(name: string, text: string): Set<string> {
  const quoted = RegExp.escape(name);
  const values = new Set<string>();
  const patterns = [
    new RegExp(`"${quoted}\\\\*"\\s*:\\s*\\\\*"?([^"\\\\,}\\]]+)`, "g"),
    new RegExp(`name=["']?${quoted}["']?[^<>]{0,200}?value=["']([^"']+)`, "gi"),
  ];
  for (const pattern of patterns) {
    for (const [, value] of text.matchAll(pattern)) values.add(value);
  }
  return values;
}
