/** Response as read by conditions and extractors. Each part is decoded when it is first read. */
export interface ResponseView {
  /** Header names in lower case and their values, in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded body as text. Throws an Error if the body cannot be decoded. */
  readonly text: string;
  /**
   * JSON value of the body. Undefined if the body is not JSON. Throws an Error if the body cannot
   * be decoded.
   */
  readonly json: unknown;
  /**
   * JSON value of the body in which each number is replaced by its source text. Throws an Error if
   * the body cannot be decoded or is not JSON.
   */
  readonly jsonSource: unknown;
  /**
   * Returns the body parsed by `parse`, which is called only once per response. Throws an Error if
   * the body cannot be decoded.
   */
  html<Document>(parse: (text: string) => Document): Document;
  /**
   * Returns the value of the cookie `name` that the next request to the same URL would send, or
   * undefined if it would not send such a cookie.
   */
  storedCookie(name: string): string | undefined;
}

/**
 * Optional parts of a response that a condition or an extractor reads. The other parts, such as the
 * status, are always available.
 */
export interface PartsRead {
  readonly headers: boolean;
  readonly body: boolean;
}

/** `PartsRead` of conditions and extractors that do not read any optional part of a response. */
export const READS_NOTHING: PartsRead = { headers: false, body: false };
/** `PartsRead` of conditions and extractors that read only the headers of a response. */
export const READS_HEADERS: PartsRead = { headers: true, body: false };
/** `PartsRead` of conditions and extractors that read only the body of a response. */
export const READS_BODY: PartsRead = { headers: false, body: true };

/** Returns the parts that at least one of several conditions and extractors reads. */
export function allParts(reads: readonly PartsRead[]): PartsRead {
  return {
    headers: reads.some(({ headers }) => headers),
    body: reads.some(({ body }) => body),
  };
}

/**
 * Maximum length of the text that regular expressions and `boundary` extractors search, in UTF-16
 * code units. This limits the cost of searching a huge response, but not the cost of exponential
 * backtracking.
 */
export const SEARCHED = 1 << 20;

/**
 * Returns the part of the body that regular expressions and `boundary` extractors search: its first
 * `SEARCHED` UTF-16 code units.
 */
export function searched({ text }: ResponseView): string {
  return text.length > SEARCHED ? text.slice(0, SEARCHED) : text;
}

/** Parses `text` as JSON. Returns undefined if it is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns all matches in a response, in order. Throws an Error if the body cannot be decoded. */
export type Find = (response: ResponseView) => Iterable<unknown>;

/** A value in a JSON body, and its location: the names and indexes that lead to the value. */
export interface LocatedValue {
  readonly value: unknown;
  readonly location: readonly (string | number)[];
}

/** Finds values in a JSON body, and returns them with their locations. */
export type FindLocated = (response: ResponseView) => Iterable<LocatedValue>;
