/** A recorded header, query parameter or form field. Lists of them keep order, case and repetition. */
export interface NameValue {
  /** Name in its recorded case. */
  readonly name: string;
  /** Decoded value. */
  readonly value: string;
}

/** A part of a multipart body. It has either `value` or `base64`. */
export interface FormPart {
  /** Name of the field. */
  readonly name: string;
  /** Content that is text. */
  readonly value?: string;
  /** Content that is not text. */
  readonly base64?: string;
  /** File name; absent if the part is not a file. */
  readonly filename?: string;
  /** Media type; absent if the part has none. */
  readonly contentType?: string;
}

/** A request body, in the form in which a plan sends it. */
export type RequestBody =
  | {
    readonly kind: "json";
    readonly value: unknown;
    readonly text: string;
    readonly contentType: string;
  }
  | { readonly kind: "form"; readonly fields: readonly NameValue[]; readonly contentType: string }
  | {
    readonly kind: "multipart";
    readonly parts: readonly FormPart[];
    readonly contentType: string;
  }
  | { readonly kind: "text"; readonly text: string; readonly contentType: string }
  | { readonly kind: "base64"; readonly base64: string; readonly contentType: string };

/** A recorded request. */
export interface RecordedRequest {
  /** Method in its recorded case. */
  readonly method: string;
  /** Absolute URL, as recorded. */
  readonly url: string;
  /** Headers in order, including pseudo-headers. */
  readonly headers: readonly NameValue[];
  /** Body; undefined if none was recorded. */
  readonly body: RequestBody | undefined;
  /** Set if a body was sent that the recording does not contain. */
  readonly bodyMissing?: true;
  /** Set if page script made the call (XMLHttpRequest, fetch, a beacon), not the browser itself. */
  readonly byScript?: true;
}

/** A recorded response, reduced to what later steps need. */
export interface RecordedResponse {
  /** Status; 0 if no response arrived or the recording contains only requests. */
  readonly status: number;
  /** Set if the entry has no response at all, as in a list of requests that a tool generated. */
  readonly unrecorded?: true;
  /** Headers in order. Includes `Location` even if the recording stores it in another field. */
  readonly headers: readonly NameValue[];
  /** Media type in lower case, without parameters; empty if none was recorded. */
  readonly mimeType: string;
  /** Decoded text of the body; undefined if not recorded, not text, or a large static asset. */
  readonly text: string | undefined;
  /** Recorded size of the body in bytes; 0 if unknown. */
  readonly size: number;
}

/** One recorded call. */
export interface Exchange {
  /** Index among the entries of the file, from 0. */
  readonly index: number;
  /** Id of its page in the recording; undefined if it has none. */
  readonly page: string | undefined;
  /** What caused the browser to send it, such as `parser`; undefined if not recorded. */
  readonly initiator?: string;
  /** Start in Unix milliseconds, with a fraction if the recording has one. */
  readonly startedAt: number;
  /** End of the response in Unix milliseconds; equal to `startedAt` if no duration was recorded. */
  readonly endedAt: number;
  /** The request. */
  readonly request: RecordedRequest;
  /** The response. */
  readonly response: RecordedResponse;
}
