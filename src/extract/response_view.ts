/** A response as extractors read it. Each part is decoded when it is first read. */
export interface ResponseView {
  /** Header names in lower case and their values, in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The decoded body. Throws an Error if it cannot be decoded. */
  readonly text: string;
  /**
   * JSON value of the body. Undefined if the body is not JSON. Throws an Error if the body cannot
   * be decoded.
   */
  readonly json: unknown;
  /**
   * JSON value of the body with the source text of each number instead of the number. Throws an
   * Error if the body cannot be decoded or is not JSON.
   */
  readonly jsonSource: unknown;
  /**
   * Returns the body parsed by `parse`, which is called only once per response. Throws an Error if
   * the body cannot be decoded.
   */
  html<Document>(parse: (text: string) => Document): Document;
  /** Returns the value of the cookie `name` that another request to the same URL would send. */
  storedCookie(name: string): string | undefined;
}

/** Parts of a response that a condition or an extractor reads. */
export interface PartsRead {
  readonly headers: boolean;
  readonly body: boolean;
}

/** Reads only the status, sizes, durations or variables. */
export const READS_NOTHING: PartsRead = { headers: false, body: false };
export const READS_HEADERS: PartsRead = { headers: true, body: false };
export const READS_BODY: PartsRead = { headers: false, body: true };

/**
 * Maximum length of the text that regular expressions and boundaries search, in UTF-16 units. It
 * limits the cost of an expression on a huge response, but not that of exponential backtracking.
 */
export const SEARCHED = 1 << 20;

/** Returns the part of the body that is searched. */
export function searched({ text }: ResponseView): string {
  return text.length > SEARCHED ? text.slice(0, SEARCHED) : text;
}

/** Parses the JSON text of a response; returns undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
