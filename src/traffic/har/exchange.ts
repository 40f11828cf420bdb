/** A header, a query parameter or a form field as recorded: order, case and repeats are kept. */
export interface NameValue {
  /** As recorded, in its case. */
  readonly name: string;
  /** Decoded, where the place it stands in has an encoding. */
  readonly value: string;
}

/** A part of a multipart body. `value` is text; content that is not text stands in `base64`. */
export interface FormPart {
  /** The field's name. */
  readonly name: string;
  /** The content when it is text. */
  readonly value?: string;
  /** The content when it is not. */
  readonly base64?: string;
  /** Absent when the part is no file. */
  readonly filename?: string;
  /** Absent when the part states none. */
  readonly contentType?: string;
}

/** A request's body in the form in which it is sent again. */
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

/** What was sent. */
export interface RecordedRequest {
  /** As recorded, in its case. */
  readonly method: string;
  /** Absolute, as recorded. */
  readonly url: string;
  /** In order, pseudo-headers too. */
  readonly headers: readonly NameValue[];
  /** Undefined when none was recorded. */
  readonly body: RequestBody | undefined;
  /** Set when a body was sent that the recording does not hold. */
  readonly bodyMissing?: true;
  /** Set when page script made the call (XMLHttpRequest, fetch, a beacon), not the browser itself. */
  readonly byScript?: true;
}

/** What came back, as far as later steps need it. */
export interface RecordedResponse {
  /** 0 when none arrived, or when the recording holds requests only. */
  readonly status: number;
  /** Set when the entry has no response at all: such a file is a list of requests, made by a tool. */
  readonly unrecorded?: true;
  /** In order; `Location` stands here even where the recording holds it elsewhere. */
  readonly headers: readonly NameValue[];
  /** Lower case, without parameters; empty when none was recorded. */
  readonly mimeType: string;
  /** The decoded text of the body; undefined if none was recorded, it is not text, or it is a large static asset. */
  readonly text: string | undefined;
  /** Bytes of the body as the recording states them; 0 when it does not. */
  readonly size: number;
}

/** One recorded call. */
export interface Exchange {
  /** Place among the file's entries, from 0. */
  readonly index: number;
  /** The page it belongs to, as the recording calls it. */
  readonly page: string | undefined;
  /** What made the browser send it, such as `parser`; undefined when not recorded. */
  readonly initiator?: string;
  /** Epoch milliseconds, with a fraction where the recording has one. */
  readonly startedAt: number;
  /** When its response had ended; equal to `startedAt` when no time was recorded. */
  readonly endedAt: number;
  /** What was sent. */
  readonly request: RecordedRequest;
  /** What came back. */
  readonly response: RecordedResponse;
}
