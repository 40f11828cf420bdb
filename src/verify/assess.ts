import { keyAt, type Occurrence } from "../correlation/views.ts";
import { isRedirect } from "../comparison/compared_response.ts";
import { placeName } from "../outcome/compare_requests.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { dynamicShape, nameHint, nameWords } from "../traffic/session/dynamic_value.ts";
import { parseTimestamp } from "./fresh_values.ts";
import { generatedValues, looksRandom } from "./generated_values.ts";
import type { RecordedSession } from "./recorded_session.ts";

/** Whether a fresh server generates another value in place of a recorded one. */
export type Assessment =
  /** The value belongs to the recorded session: it is named like a token, or looks like one. */
  | "token"
  | "object"
  | "undecided"
  /** The value looks like a constant of the application. */
  | "constant";

/** Matches names whose values belong to the session, even numbers. */
const TOKEN = /token|csrf|xsrf|nonce|session|jwt|viewstate|captcha/i;
/** Matches names whose values belong to the session, except numbers. */
const SESSION =
  /ticket|signature|verif|challenge|relaystate|saml|authoriz|authenti|secret|^auth$|(?:^|[_-])(?:sid|state|code|otp|cursor)$|(?:State|Code|Sid)$/i;
/** Words in names of values that stay the same for all sessions of an application. */
const CONSTANT = new Set([
  ...["client", "clientid", "app", "application", "tenant", "version", "ver", "build", "revision"],
  ...["v", "hash", "locale", "lang", "language", "site", "integrity", "charset", "width", "height"],
  ...["api", "apikey", "public", "year", "limit", "size", "count", "total", "timeout"],
]);

const HASH = /hash|digest|checksum|sha-?\d|md5|crc/i;
/** Length of a content hash, in UTF-16 code units. */
const SHORTEST_HASH = 20;
const LONGEST_HASH = 512;
/** MD5, SHA-1 and SHA-256 hashes of the empty string. */
const EMPTY_HASHES: ReadonlySet<string> = new Set([
  "d41d8cd98f00b204e9800998ecf8427e",
  "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
]);

/** Minimum length of a random text that is a token rather than an abbreviation or a version. */
const LONG_RUN = 16;
const TEN_YEARS = 10 * 365 * 86_400_000;
const CLOCK_SKEW = 5 * 60_000;
const MOST_NAMES = 4;

/** Decides, based on the recording, whether values in responses belong to the session. */
export class Assessor {
  readonly #session: RecordedSession;
  readonly #startedAt: number;
  readonly #endedAt: number;
  readonly #names = new Map<string, readonly string[]>();
  readonly #hashes = new Map<Exchange, readonly string[]>();

  constructor(session: RecordedSession) {
    const { exchanges } = session;
    this.#session = session;
    this.#startedAt = exchanges.reduce((min, { startedAt }) => Math.min(min, startedAt), Infinity);
    this.#endedAt = exchanges.reduce((max, { endedAt }) => Math.max(max, endedAt), -Infinity);
  }

  /** `holder` has the value first, and `place` is where it is sent, such as `form csrf_token`. */
  assess(value: string, holder: Exchange, place: string): Assessment {
    const names = [placeName(place), ...this.#namesIn(holder, value)];
    const isNumber = /^\d+$/.test(value);
    const isToken = names.some((name) => TOKEN.test(name) || (!isNumber && SESSION.test(name)));
    if (EMPTY_HASHES.has(value.toLowerCase()) || this.#isAsset(value)) return "constant";
    if (isToken) return "token";
    if (names.some(isConstantName)) return "constant";
    const time = parseTimestamp(value)?.ms;
    // A number can have as many digits. Servers rarely compare a timestamp with the one they sent.
    if (time !== undefined && (!isNumber || Math.abs(time - this.#endedAt) < TEN_YEARS)) {
      const isInSession = time >= this.#startedAt - CLOCK_SKEW &&
        time <= this.#endedAt + CLOCK_SKEW;
      return isInSession ? "undecided" : "constant";
    }
    // A server gives a new object the same name again, unless the name is taken.
    if (!/\d/.test(value) && generatedValues(value).length === 0) return "undecided";
    if (this.#isDerived(value, holder)) return "undecided";
    const { agreeing = 0 } = this.#session.origins.of(value) ?? {};
    const isId = place.startsWith("path segment") || names.some((name) => nameHint(name).idLike);
    if (agreeing >= 2 && !isId) return "constant";
    const isTarget = isRedirect(holder.response);
    return (isId && !isTarget) || !isLongToken(value) ? "object" : "token";
  }

  #namesIn(holder: Exchange, value: string): readonly string[] {
    return this.#names.getOrInsertComputed(
      value,
      () => this.#session.origins.occurrencesIn(holder, value).slice(0, MOST_NAMES).map(keyAt),
    );
  }

  #isAsset(value: string): boolean {
    const { assets, origins } = this.#session;
    if (assets.size === 0) return false;
    if (origins.of(value)?.holders.some((holder) => assets.has(holder))) return true;
    return [...assets].some(({ request }) => request.url.includes(value));
  }

  /** It may be a hash of what the client sent, which a fresh server returns again. */
  #isDerived(value: string, holder: Exchange): boolean {
    const [at] = this.#session.origins.occurrencesIn(holder, value);
    const whole = at === undefined ? value : hashAround(at);
    if (whole.length < SHORTEST_HASH || whole.length > LONGEST_HASH) return false;
    return this.#hashesIn(holder).some((hash) =>
      hash.length === whole.length && hash !== whole && alphabetOf(hash) === alphabetOf(whole)
    );
  }

  #hashesIn(exchange: Exchange): readonly string[] {
    return this.#hashes.getOrInsertComputed(exchange, () => {
      const { fields = [] } = this.#session.byEntry.get(exchange.index + 1) ?? {};
      return fields.flatMap((field) => [
        ...(HASH.test(field.name) ? [field.value] : []),
        ...field.parts().filter(({ name }) => HASH.test(name))
          .map(({ start, end }) => field.value.slice(start, end)),
      ]);
    });
  }
}

const HASH_CHARACTER = /[\w+/=-]/;

function hashAround({ view: { text }, start, end }: Occurrence): string {
  const [first, last] = [Math.max(0, end - LONGEST_HASH), start + LONGEST_HASH];
  while (start >= first && HASH_CHARACTER.test(text.charAt(start - 1))) start--;
  while (end <= last && HASH_CHARACTER.test(text.charAt(end))) end++;
  return text.slice(start, end);
}

function alphabetOf(text: string): "hexadecimal" | "base64" | "other" {
  if (/^[\da-f]+$/i.test(text)) return "hexadecimal";
  return /^[\w+/-]+=*$/.test(text) ? "base64" : "other";
}

function isLongToken(value: string): boolean {
  const shape = dynamicShape(value);
  return shape === "jwt" || (shape !== "uuid" && value.length >= LONG_RUN && looksRandom(value));
}

/** Reports whether a name suggests the same value in all sessions of an application. */
export function isConstantName(name: string): boolean {
  return nameWords(name).some((word) => CONSTANT.has(word));
}
