import { isJsonText } from "../exact_json.ts";
import type { FramedJson } from "./frame.ts";

/**
 * Matches everything before the JSON in an Engine.IO packet: the packet type (`0` for open, or `4`
 * for message) and, if the message is a Socket.IO packet, its type, number of attachments (`1-`),
 * namespace (`/admin,`) and acknowledgement id. The types `0` (connection) and `4` (error) are
 * followed by an object. The types `2` and `5` (events), and `3` and `6` (acknowledgements) are
 * followed by a list.
 */
export const PACKET: RegExp =
  /^(?:0(?=\{)|4(?=[[{])|4[04](?:\/[^,]*,)?(?=\{)|4(?:[23]|[56]\d+-)(?:\/[^,]*,)?\d*(?=\[))/;

/**
 * Returns the JSON in an Engine.IO or Socket.IO packet, such as `42["created",{"id":7}]`. Returns
 * undefined for any other text.
 */
export function engineIo(text: string): FramedJson | undefined {
  const start = PACKET.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const json = text.slice(start);
  return isJsonText(json) ? { json, ranges: [[start, text.length]] } : undefined;
}
