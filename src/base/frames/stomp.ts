import { isJsonText } from "../exact_json.ts";
import type { FramedJson, FrameHeader } from "./frame.ts";

/**
 * Matches the command and the headers of a STOMP frame, up to its body. Limits the number of
 * headers, because a regular expression needs stack space for each repetition.
 */
export const HEAD: RegExp =
  /^(?:MESSAGE|SEND|CONNECTED|RECEIPT|ERROR|CONNECT|STOMP|(?:UN)?SUBSCRIBE|N?ACK|BEGIN|COMMIT|ABORT|DISCONNECT)\r?\n(?:[^\n:\0]+:[^\n\0]*\n){0,1000}\r?\n/;
/** Matches the end of a STOMP frame. */
export const END: RegExp = /\0[\r\n]*$/;

/**
 * Returns the JSON in the body of a STOMP frame, which consists of a command, headers, an empty
 * line, the body and NUL. Returns undefined for any other text.
 */
export function stomp(text: string): FramedJson | undefined {
  const start = HEAD.exec(text)?.[0].length;
  const end = start === undefined ? undefined : END.exec(text)?.index;
  if (start === undefined || end === undefined) return undefined;
  const json = text.slice(start, end);
  return isJsonText(json) ? { json, ranges: [[start, end]] } : undefined;
}

/** Returns the headers of a STOMP frame. Returns an empty list for any other text. */
export function stompHeaders(text: string): FrameHeader[] {
  const [head = ""] = HEAD.exec(text) ?? [];
  return head.matchAll(/^([^\n:]+):([^\r\n]*)/gm).map(({ 0: all, 1: name, index }) => ({
    name,
    start: index + name.length + 1,
    end: index + all.length,
  })).toArray();
}
