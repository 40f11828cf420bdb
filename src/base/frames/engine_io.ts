import { isJsonText } from "../exact_json.ts";
import type { FramedJson } from "./frame.ts";

/**
 * Matches the start of a packet of Engine.IO, or of Socket.IO in Engine.IO, up to its JSON: an open
 * packet (`0`), or a message (`4`). In a message, Socket.IO writes its own type of packet, the number
 * of attachments (`1-`), a namespace (`/admin,`) and the number of an acknowledgement. A connection
 * (`0`) or an error (`4`) has an object, an event (`2`, `5`) or an acknowledgement (`3`, `6`) a list.
 */
export const PACKET: RegExp =
  /^(?:0(?=\{)|4(?=[[{])|4[04](?:\/[^,]*,)?(?=\{)|4(?:[23]|[56]\d+-)(?:\/[^,]*,)?\d*(?=\[))/;

/**
 * Returns the JSON in a packet of Engine.IO or Socket.IO, such as `42["created",{"id":7}]`. Returns
 * undefined for any other text.
 */
export function engineIo(text: string): FramedJson | undefined {
  const start = PACKET.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const json = text.slice(start);
  return isJsonText(json) ? { json, ranges: [[start, text.length]] } : undefined;
}
