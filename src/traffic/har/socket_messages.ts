import type { RecordedMessage } from "./recording.ts";

/**
 * Largest time that is read as seconds, the unit that Chromium uses. Larger times are read as
 * milliseconds.
 */
const LATEST_SECONDS = 1e11;
const TEXT_OPCODE = 1, BINARY_OPCODE = 2;

/**
 * Converts the messages in the member `_webSocketMessages` of an entry, which Chromium records.
 * Returns an empty object if the entry has no such list. Messages that cannot be read are omitted.
 * `startedAt` is the start of the entry in Unix milliseconds. A message is never earlier than
 * `startedAt` or the preceding message.
 */
export function recordedMessages(
  value: unknown,
  startedAt: number,
): { messages?: readonly RecordedMessage[] } {
  if (!Array.isArray(value)) return {};
  let last = startedAt;
  const messages = value.flatMap((item): RecordedMessage[] => {
    if (typeof item !== "object" || item === null) return [];
    const { type, time, opcode, data } = item as Readonly<Record<string, unknown>>;
    if (type !== "send" && type !== "receive" || typeof data !== "string") return [];
    const ms = typeof time === "number" && Number.isFinite(time)
      ? time > LATEST_SECONDS ? time : time * 1_000
      : last;
    const message = { sent: type === "send", at: last = Math.max(last, ms) };
    if (opcode === BINARY_OPCODE) return [{ ...message, base64: data }];
    return opcode === undefined || opcode === TEXT_OPCODE ? [{ ...message, text: data }] : [];
  });
  return { messages };
}
