import { EventParser } from "../../http/event_stream.ts";
import type { Exchange, RecordedEvent } from "./recording.ts";

/**
 * Largest timestamp that is interpreted as seconds, the unit that Chromium uses. Larger timestamps
 * are interpreted as milliseconds.
 */
const LATEST_SECONDS = 1e11;

/**
 * Converts the member `_eventSourceMessages` of an entry, which Chromium records, to events.
 * Returns undefined if the entry has no such list. Events that cannot be read are omitted.
 */
export function recordedEvents(value: unknown): readonly RecordedEvent[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item): RecordedEvent[] => {
    if (typeof item !== "object" || item === null) return [];
    const { time, eventName, eventId, data } = item as Readonly<Record<string, unknown>>;
    if (typeof data !== "string") return [];
    return [{
      data,
      ...(isTime(time) && { at: time > LATEST_SECONDS ? time : time * 1_000 }),
      ...(isLine(eventName) && eventName !== "message" && { name: eventName }),
      ...(isLine(eventId) && { id: eventId }),
    }];
  });
}

/** Formats events as the body of a response with the media type `text/event-stream`. */
export function eventStreamText(events: readonly RecordedEvent[]): string {
  return events.map(({ name, id, data }) =>
    (name === undefined ? "" : `event: ${name}\n`) +
    (id === undefined ? "" : `id: ${id}\n`) +
    data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`).join("") + "\n"
  ).join("");
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value > 0 && Number.isFinite(value);
}

/** Reports whether a value is a non-empty string without line breaks or NUL characters. */
function isLine(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/[\r\n\0]/.test(value);
}

/** Reports whether a response is a stream of server-sent events that a client reads one by one. */
export function isEventStream({ response: { status, mimeType } }: Exchange): boolean {
  return status >= 200 && status < 300 && mimeType === "text/event-stream";
}

/**
 * Returns the server-sent events that have data, or undefined if the recording contains neither the
 * events nor the body of the response. Only events that Chromium recorded have times.
 */
export function streamEvents({ events, response }: Exchange): RecordedEvent[] | undefined {
  if (events !== undefined) return events.filter(({ data }) => data !== "");
  const { text } = response;
  if (text === undefined) return undefined;
  const found: RecordedEvent[] = [];
  try {
    new EventParser((data) => found.push({ data })).push(new TextEncoder().encode(text));
  } catch {
    return undefined; // An event is too large to be read in a run.
  }
  return found;
}
