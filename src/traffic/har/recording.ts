/** A position in a file. */
export interface FilePlace {
  /** Zero-based byte offset in the file. */
  readonly offset: number;
  /** One-based line number. */
  readonly line: number;
  /** One-based column in the line, in bytes. */
  readonly column: number;
}

/** An entry of a HAR file that could not be used, and the reason why. */
export interface SkippedEntry {
  /** Zero-based index of the entry in the file. */
  readonly index: number;
  readonly place: FilePlace;
  /**
   * Reason why the entry was skipped, such as `request.url is missing`. May contain recorded text.
   */
  readonly reason: string;
}

/** The content of a HAR file. */
export interface Recording {
  /** Recorded calls, sorted by start time. Calls with equal start times are in file order. */
  readonly exchanges: readonly Exchange[];
  readonly skipped: readonly SkippedEntry[];
  /** Titles of pages, keyed by page id. If a page has no title, the value is the id. */
  readonly pages: ReadonlyMap<string, string>;
  /** Name and version of the program that wrote the file. Empty if unknown. */
  readonly creator: string;
  readonly browser: string;
  /**
   * True if any call has a cookie or an `Authorization` header. Sanitized recordings have neither.
   */
  readonly hasCredentials: boolean;
  /**
   * True if the recording contains the text of any response body, except those of static assets.
   */
  readonly hasBodies: boolean;
}

/**
 * Name and value of a recorded header, query parameter or form field. A list of `NameValue` objects
 * keeps the recorded order and repeated names.
 */
export interface NameValue {
  readonly name: string;
  readonly value: string;
}

/** One part of a multipart body. Its content is either in `value` or in `base64`. */
export interface FormPart {
  readonly name: string;
  readonly value?: string;
  readonly base64?: string;
  readonly filename?: string;
  readonly contentType?: string;
}

/** A request body, as sent by a plan. */
export type RequestBody =
  | {
    readonly kind: "json";
    readonly value: unknown;
    readonly text: string;
    readonly contentType: string;
  }
  | { readonly kind: "form"; readonly text: string; readonly contentType: string }
  | {
    readonly kind: "multipart";
    readonly parts: readonly FormPart[];
    readonly contentType: string;
  }
  | { readonly kind: "text"; readonly text: string; readonly contentType: string }
  | { readonly kind: "base64"; readonly base64: string; readonly contentType: string };

/**
 * Why a browser sent a request: `script` for a call by a page script, or `asset` for an asset that
 * the page needs, such as an image.
 */
export type RequestPurpose = "script" | "asset";

/** A recorded request. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  /** Headers in their recorded order, including HTTP/2 pseudo-headers such as `:path`. */
  readonly headers: readonly NameValue[];
  readonly body: RequestBody | undefined;
  readonly bodyMissing?: true;
  readonly bodyRebuilt?: true;
  /**
   * `script` if a script of the page sent the request, for example with XMLHttpRequest, fetch or a
   * beacon. `asset` if the page needs an asset, such as an image. Absent if the purpose is unknown
   * or the request is for a page.
   */
  readonly purpose?: RequestPurpose;
}

/** A recorded response, reduced to the data that conversion and verification use. */
export interface RecordedResponse {
  /** HTTP status, or 0 if no response arrived or the recording contains only requests. */
  readonly status: number;
  /** True if the entry has no `response` member, as in a list of requests that a tool generated. */
  readonly unrecorded?: true;
  /**
   * Headers in their recorded order. Includes `Location` even if the recording stores it only in
   * `redirectURL`.
   */
  readonly headers: readonly NameValue[];
  /** Media type in lower case, without parameters. Empty if it was not recorded. */
  readonly mimeType: string;
  /**
   * Text of the body. Undefined if the body was not recorded, is not text, or is a large static
   * asset.
   */
  readonly text: string | undefined;
  /**
   * JSON text in a WebSocket message, without the frame that a protocol such as Socket.IO adds.
   * Absent if the response is not such a message.
   */
  readonly payload?: string;
  readonly size: number;
}

/** A recorded WebSocket message. Its content is text, or binary content in base64. */
export interface RecordedMessage {
  readonly sent: boolean;
  /** Time in Unix milliseconds. */
  readonly at: number;
  readonly text?: string;
  readonly base64?: string;
}

/** A recorded server-sent event. */
export interface RecordedEvent {
  readonly data: string;
  readonly at?: number;
  /** Name of the event. Absent if it is `message`, the default. */
  readonly name?: string;
  readonly id?: string;
}

/** Part of a WebSocket that an exchange represents: its opening, or a message in one direction. */
export type SocketPart = "open" | "send" | "receive";

/** Text with which a server tests a WebSocket, and the text that the client then sends. */
export interface Heartbeat {
  readonly receive: string;
  readonly send: string;
}

/** One recorded call: a request and its response. */
export interface Exchange {
  /** Zero-based index of the call among the entries of the file. */
  readonly index: number;
  readonly page: string | undefined;
  /**
   * `sent` if a service worker sent the request. `handled` if a page sent it, and a service worker
   * provided the response without a recorded request to the server. Absent if no service worker
   * took part, or if that was not recorded.
   */
  readonly worker?: "sent" | "handled";
  readonly cached?: boolean;
  /**
   * Start time of the request in Unix milliseconds. Has a fraction if the recording has a finer
   * resolution.
   */
  readonly startedAt: number;
  /**
   * End time of the response in Unix milliseconds. Equal to `startedAt` if no duration was
   * recorded.
   */
  readonly endedAt: number;
  readonly messages?: readonly RecordedMessage[];
  readonly events?: readonly RecordedEvent[];
  readonly socketPart?: SocketPart;
  /** Heartbeat of the WebSocket that the exchange opens. Its messages have no exchanges. */
  readonly heartbeat?: Heartbeat;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
}

/**
 * Error for a HAR entry that cannot be used. `message` is the reason, such as `request.url is
 * missing`.
 */
export class BrokenEntry extends Error {
  override readonly name = "BrokenEntry";
}

/** A parsed JSON object whose members have not been validated. */
export type JsonObject = { readonly [name: string]: unknown };

const NO_MEMBERS: JsonObject = {};

/**
 * Returns `value` as an object, or an empty object if it is undefined or null. `path` identifies
 * the value in error messages. Throws BrokenEntry for other types.
 */
export function objectAt(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) return NO_MEMBERS;
  if (isObject(value)) return value;
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected an object`);
}

/**
 * Returns `value` as a list of objects, or an empty list if it is undefined or null. `path`
 * identifies the value in error messages. Throws BrokenEntry for other types.
 */
export function objectsAt(value: unknown, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    return value.every(isObject) ? value : value.map((item, i) => objectAt(item, `${path}[${i}]`));
  }
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected a list`);
}

/**
 * Returns `value` as a string, or undefined if it is undefined or null. Converts numbers and
 * booleans. `path` identifies the value in error messages. Throws BrokenEntry for other types.
 */
export function textAt(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object") {
    throw new BrokenEntry(`${path} is ${describeType(value)}, expected a string`);
  }
  return String(value);
}

/**
 * Converts a number or a numeric string to a positive integer. Returns 0 for other values, such as
 * -1 (unknown).
 */
export function countAt(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Decodes base64. Returns undefined if the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Reads a HAR list of `{name, value}` objects, in order. Skips objects without a name. A list of
 * values, as PollyJS writes, becomes one field for each value. `path` identifies the list in error
 * messages. Throws BrokenEntry if the list, an element, a name or a value has the wrong type.
 */
export function fieldsAt(value: unknown, path: string): NameValue[] {
  const listed = objectsAt(value, path);
  const single = listed.some(({ value }) => Array.isArray(value))
    ? listed.flatMap((field) => [field.value].flat().map((value) => ({ ...field, value })))
    : listed;
  // Unlike an array that grows, the result of `map` has no unused capacity.
  const fields = single.map((field) => fieldAt(field, path));
  return fields.every(isNamed) ? fields : fields.filter(isNamed);
}

function fieldAt({ name, value }: JsonObject, path: string): NameValue {
  // Does not build the paths of valid fields, because only error messages need them.
  if (typeof name === "string" && typeof value === "string") return shared(name, value);
  const named = textAt(name, `${path}.name`) ?? "";
  return { name: named, value: named && (textAt(value, `${path}.value`) ?? "") };
}

function isNamed({ name }: NameValue): boolean {
  return name !== "";
}

/** Maximum number of names in the cache of `shared`, and of values for each name. */
const [MAX_NAMES, MAX_VALUES] = [500, 50];
const LONGEST_SHARED = 256;

/** Cache of shared fields, by name and value. */
const known = new Map<string, Map<string, NameValue>>();

/**
 * Returns a field with this name and value. Equal fields share one object, because most headers are
 * the same in many entries.
 */
// bench: a HAR with 40,000 entries and 24 headers each, peak memory 312 instead of 388 MB
function shared(name: string, value: string): NameValue {
  let byValue = known.get(name);
  if (byValue === undefined && known.size < MAX_NAMES) known.set(name, byValue = new Map());
  const found = byValue?.get(value);
  if (found !== undefined) return found;
  const field = { name, value };
  if (value.length <= LONGEST_SHARED && byValue !== undefined && byValue.size < MAX_VALUES) {
    byValue.set(value, field);
  }
  return field;
}

/**
 * Returns the value of the first header with the given name, or undefined if no header has that
 * name. `name` must be in lower case.
 */
export function headerValue(headers: readonly NameValue[], name: string): string | undefined {
  for (const header of headers) {
    // Compare the lengths first, because most names differ in length.
    if (header.name.length === name.length && header.name.toLowerCase() === name) {
      return header.value;
    }
  }
  return undefined;
}
