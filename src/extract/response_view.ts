/** A response as extractors read it. Each part is decoded when it is first read. */
export interface ResponseView {
  /** Header names in lower case and their values, in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The decoded body. Throws an Error if it cannot be decoded. */
  readonly text: string;
  /** The JSON value of the body; undefined if the body is not JSON. Throws as `text` does. */
  readonly json: unknown;
  /** The JSON value with the text of each number in place of the number. Throws if it is not JSON. */
  readonly jsonSource: unknown;
  /** The body as `parse` reads it, parsed once. Throws as `text` does. */
  html<Document>(parse: (text: string) => Document): Document;
  /** Returns the value of the cookie `name` that another request to the same URL would send. */
  storedCookie(name: string): string | undefined;
}
