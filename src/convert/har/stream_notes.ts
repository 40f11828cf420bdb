import { plural } from "../../base/format.ts";
import { conditionName } from "../../plan/kinds/conditions/condition_name.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";
import type { PlannedStream } from "./plan_streams.ts";

/** Returns the notes on recorded streams of server-sent events. */
export function streamNotes({ streams, nameOf }: HarFacts): HarNote[] {
  const overlapping = [...streams].filter(([, { overlaps }]) => overlaps);
  return [
    ...[...streams].map(([call, stream]) => streamNote(call, stream, nameOf)),
    ...(overlapping.length === 0 ? [] : [{
      code: "overlapping-stream" as const,
      subject: "sse",
      message:
        `the recorded user sent other calls while a stream of events was open: ${
          listed(overlapping.map(([call]) => nameOf(call)))
        }; the plan sends these calls after it has ended the stream, so put the stream and ` +
        "these calls into a `parallel` step if the server needs the open stream",
    }]),
  ];
}

function streamNote(
  call: RecordedCall,
  { sse, events }: PlannedStream,
  nameOf: HarFacts["nameOf"],
): HarNote {
  const recorded = events === undefined
    ? "the HAR does not contain the events"
    : `${plural(events, "event")} recorded`;
  return {
    code: "event-stream",
    subject: "sse",
    message: `${nameOf(call)} reads server-sent events (${recorded}) ${limitText(sse)}; the HAR ` +
      "does not show whether the server or the browser ended the stream",
  };
}

function limitText(sse: PlannedStream["sse"]): string {
  if (sse === undefined) {
    return "until the server ends the stream, because no single event contains the values that " +
      "the plan extracts";
  }
  if (sse.until !== undefined) return `until one meets ${conditionName(sse.until)}`;
  const limits = [
    ...(sse.max_events === undefined ? [] : [plural(sse.max_events, "event")]),
    ...(sse.max_duration === undefined ? [] : [String(sse.max_duration)]),
  ];
  return limits.length === 2
    ? `up to ${limits[0]} or for ${limits[1]}, whichever comes first`
    : sse.max_events === undefined
    ? `for ${limits[0]}`
    : `up to ${limits[0]}`;
}
