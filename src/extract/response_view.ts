/** Response as read by conditions and extractors. Each part is decoded when it is first read. */
export interface ResponseView {
  /** Names in lower case, in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded body as text. Throws an Error if the body cannot be decoded. */
  readonly text: string;
  /** Undefined if the body is not JSON. Throws an Error if it cannot be decoded. */
  readonly json: unknown;
  /** With all digits of its numbers. Throws if it is not JSON. */
  readonly exactJson: unknown;
  /** Calls `parse` only once per response. Throws an Error if the body cannot be decoded. */
  html<Document>(parse: (text: string) => Document): Document;
  /** The cookie that the next request to the same URL would send. */
  storedCookie(name: string): string | undefined;
}

/** Parts that a condition or an extractor reads. The status is always available. */
export interface PartsRead {
  readonly headers: boolean;
  readonly body: boolean;
}

/** Parts of those that read no optional part. */
export const READS_NOTHING: PartsRead = { headers: false, body: false };
/** Parts of those that read only headers. */
export const READS_HEADERS: PartsRead = { headers: true, body: false };
/** Parts of those that read only the body. */
export const READS_BODY: PartsRead = { headers: false, body: true };

/** Returns the parts that at least one of several conditions and extractors reads. */
export function allParts(reads: readonly PartsRead[]): PartsRead {
  return {
    headers: reads.some(({ headers }) => headers),
    body: reads.some(({ body }) => body),
  };
}

/** Limits the cost of searching a huge response (UTF-16 code units), not that of backtracking. */
export const SEARCHED = 1 << 20;

/** The part of the body that regular expressions and `boundary` extractors search. */
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

export type FindLocated = (response: ResponseView) => Iterable<LocatedValue>;
