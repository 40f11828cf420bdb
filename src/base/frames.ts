import { isJsonText } from "./exact_number.ts";

export interface FramedJson {
  /** JSON of the message: an object or a list. */
  readonly json: string;
  /** Ranges that contain the JSON text verbatim. Empty if the frame escapes the JSON. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

export interface FrameHeader {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the JSON in the messages of one protocol. `nested` finds it in those of any protocol. */
type Frame = (
  text: string,
  nested: (text: string) => FramedJson | undefined,
) => FramedJson | undefined;

const FRAMES: readonly Frame[] = [engineIo, sockJs, stomp, jsonRecords];

/** Finds the JSON in a framed message, such as Socket.IO's `42["created",{"id":7}]`. */
export function framedJson(text: string): FramedJson | undefined {
  if (isPlain(text)) return undefined;
  for (const frame of FRAMES) {
    const found = frame(text, framedJson);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the JSON in a WebSocket message without its frame, or any other message unchanged. */
export function messageJson(text: string): string {
  return framedJson(text)?.json ?? text;
}

/** Reports whether text is JSON. Parses it only if it may be several texts. */
function isPlain(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  return !text.includes("\n") && !text.includes("\x1e") || isJsonText(text);
}

/** Parses a SockJS frame, such as `a["{\"id\":7}"]`, which is a list of messages. */
function sockJs(
  text: string,
  nested: (text: string) => FramedJson | undefined,
): FramedJson | undefined {
  if (!text.startsWith("a[")) return undefined;
  const messages = stringsIn(text.slice(1));
  if (messages === undefined) return undefined;
  const items = messages.map((message) =>
    isJsonText(message) ? message : nested(message)?.json ?? JSON.stringify(message)
  );
  return { json: `[${items.join()}]`, ranges: [] };
}

function stringsIn(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Matches what precedes the JSON in an Engine.IO packet: its type (`0` open, `4` message) and, for
 * Socket.IO, the type, attachments (`1-`), namespace (`/admin,`) and id. An object follows the
 * types `0` (connection) and `4` (error), a list `2` and `5` (events), `3` and `6`
 * (acknowledgements).
 */
export const PACKET: RegExp =
  /^(?:0(?=\{)|4(?=[[{])|4[04](?:\/[^,]*,)?(?=\{)|4(?:[23]|[56]\d+-)(?:\/[^,]*,)?\d*(?=\[))/;

/** Finds the JSON in an Engine.IO or Socket.IO packet, such as `42["created",{"id":7}]`. */
function engineIo(text: string): FramedJson | undefined {
  const start = PACKET.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const json = text.slice(start);
  return isJsonText(json) ? { json, ranges: [[start, text.length]] } : undefined;
}

const SEPARATOR = "\x1e";

/** Objects and lists, separated by line breaks or, in SignalR, U+001E. Several become a list. */
function jsonRecords(text: string): FramedJson | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const separator = text.includes(SEPARATOR) ? SEPARATOR : "\n";
  const ranges: [start: number, end: number][] = [];
  for (let start = 0; start < text.length;) {
    const next = text.indexOf(separator, start);
    const end = next < 0 ? text.length : next;
    const record = text.slice(start, end);
    if (isJsonText(record)) ranges.push([start, end]);
    else if (record.trim() !== "") return undefined;
    start = end + 1;
  }
  const records = ranges.map(([start, end]) => text.slice(start, end));
  return { json: records.length === 1 ? records[0] : `[${records.join()}]`, ranges };
}

/** Start of a STOMP frame. A regular expression needs stack space for each of its headers. */
const HEAD: RegExp =
  /^(?:MESSAGE|SEND|CONNECTED|RECEIPT|ERROR|CONNECT|STOMP|(?:UN)?SUBSCRIBE|N?ACK|BEGIN|COMMIT|ABORT|DISCONNECT)\r?\n(?:[^\n:\0]+:[^\n\0]*\n){0,1000}\r?\n/;
const END: RegExp = /\0[\r\n]*$/;

/** Finds the JSON in a STOMP frame: a command, headers, an empty line, the body and NUL. */
function stomp(text: string): FramedJson | undefined {
  const start = HEAD.exec(text)?.[0].length;
  const end = start === undefined ? undefined : END.exec(text)?.index;
  if (start === undefined || end === undefined) return undefined;
  const json = text.slice(start, end);
  return isJsonText(json) ? { json, ranges: [[start, end]] } : undefined;
}

/** Returns the headers of a STOMP frame. */
export function stompHeaders(text: string): FrameHeader[] {
  const [head = ""] = HEAD.exec(text) ?? [];
  return head.matchAll(/^([^\n:]+):([^\r\n]*)/gm).map(({ 0: all, 1: name, index }) => ({
    name,
    start: index + name.length + 1,
    end: index + all.length,
  })).toArray();
}
