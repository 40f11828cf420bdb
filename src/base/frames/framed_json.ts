import { engineIo } from "./engine_io.ts";
import { isJsonText } from "../exact_json.ts";
import type { Frame, FramedJson } from "./frame.ts";
import { jsonRecords } from "./json_records.ts";
import { sockJs } from "./sock_js.ts";
import { stomp } from "./stomp.ts";

const FRAMES: readonly Frame[] = [engineIo, sockJs, stomp, jsonRecords];

/**
 * Finds the JSON in a WebSocket message of a protocol that adds a frame to it, such as Socket.IO's
 * `42["created",{"id":7}]`. Returns undefined if the message is JSON without a frame, or if it
 * contains no JSON.
 */
export function framedJson(text: string): FramedJson | undefined {
  if (isPlain(text)) return undefined;
  for (const frame of FRAMES) {
    const found = frame(text, framedJson);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the JSON in a WebSocket message without the frame that a protocol such as Socket.IO adds.
 * Returns any other message unchanged.
 */
export function messageJson(text: string): string {
  return framedJson(text)?.json ?? text;
}

/**
 * Reports whether the text is JSON without a frame. Parses the text only if it contains a line feed
 * or the character U+001E, which can separate several JSON texts. Without them, text that starts
 * like JSON counts as JSON.
 */
function isPlain(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  return !text.includes("\n") && !text.includes("\x1e") || isJsonText(text);
}
