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
  /** Such as `request.url is missing`. May contain recorded text. */
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
  /** Sanitized recordings have neither cookies nor `Authorization` headers. */
  readonly hasCredentials: boolean;
  /** True if the recording has the text of a response other than a static asset. */
  readonly hasBodies: boolean;
}

/** A header, query parameter or form field. Lists keep their order and repeated names. */
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

/** What a browser sent a request for: a call by a page script, or an asset of the page. */
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
  /** Absent if it is unknown, or for a page. */
  readonly purpose?: RequestPurpose;
}

/** A recorded response, reduced to the data that conversion and verification use. */
export interface RecordedResponse {
  /** HTTP status, or 0 if no response arrived or the recording contains only requests. */
  readonly status: number;
  /** True if the entry has no `response` member, as in a list of requests that a tool generated. */
  readonly unrecorded?: true;
  /** In their recorded order. Includes `Location` if only `redirectURL` has it. */
  readonly headers: readonly NameValue[];
  /** Media type in lower case, without parameters. Empty if it was not recorded. */
  readonly mimeType: string;
  /** Undefined if the body was not recorded, is not text, or is a large static asset. */
  readonly text: string | undefined;
  /** JSON in a WebSocket message, without the frame that a protocol such as Socket.IO adds. */
  readonly payload?: string;
  readonly size: number;
  /** True if the recorder lost a body, of which it may not know the size. */
  readonly bodyMissing?: true;
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
  /** `sent` by a service worker, or sent by a page and `handled` by one without a server. */
  readonly worker?: "sent" | "handled";
  readonly cached?: boolean;
  /** True if the browser made the redirect itself. */
  readonly redirected?: boolean;
  /** Unix milliseconds, with a fraction if the recording has a finer resolution. */
  readonly startedAt: number;
  /** Unix milliseconds. Equal to `startedAt` if no duration was recorded. */
  readonly endedAt: number;
  readonly messages?: readonly RecordedMessage[];
  readonly events?: readonly RecordedEvent[];
  readonly socketPart?: SocketPart;
  /** Heartbeat of the WebSocket that the exchange opens. Its messages have no exchanges. */
  readonly heartbeat?: Heartbeat;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
}

/** A HAR entry cannot be used. `message` is the reason, such as `request.url is missing`. */
export class BrokenEntry extends Error {
  override readonly name = "BrokenEntry";
}

/** A parsed JSON object whose members have not been validated. */
export type JsonObject = { readonly [name: string]: unknown };

const NO_MEMBERS: JsonObject = {};

/** Undefined and null give an empty result. `path` is for messages. Throws BrokenEntry. */
export function objectAt(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) return NO_MEMBERS;
  if (isObject(value)) return value;
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected an object`);
}

/** Undefined and null give an empty result. `path` is for messages. Throws BrokenEntry. */
export function objectsAt(value: unknown, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    return value.every(isObject) ? value : value.map((item, i) => objectAt(item, `${path}[${i}]`));
  }
  throw new BrokenEntry(`${path} is ${describeType(value)}, expected a list`);
}

/** Converts numbers and booleans. `path` is for messages. Throws BrokenEntry for objects. */
export function textAt(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object") {
    throw new BrokenEntry(`${path} is ${describeType(value)}, expected a string`);
  }
  return String(value);
}

/** Converts a number or numeric text to an integer. Returns 0 for others, such as -1 (unknown). */
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
 * Reads a HAR list of `{name, value}`, in which PollyJS writes a list of values. Skips objects
 * without a name. `path` is for messages. Throws BrokenEntry for a wrong type.
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

/** Equal fields share one object, because most headers are the same in many entries. */
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

/** Returns the value of the first header with the lowercase `name`, or undefined. */
export function headerValue(headers: readonly NameValue[], name: string): string | undefined {
  for (const header of headers) {
    // Compare the lengths first, because most names differ in length.
    if (header.name.length === name.length && header.name.toLowerCase() === name) {
      return header.value;
    }
  }
  return undefined;
}
