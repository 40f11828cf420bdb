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
