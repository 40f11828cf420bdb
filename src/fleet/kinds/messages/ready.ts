import { z } from "zod";
import { leaderTime, type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({
  from: processId,
  planned_ms: z.number().min(0),
  ends_ms: z.number().min(0),
  /** Shortest round trip over the bus so far, in ms. */
  round_trip_ms: z.number().min(0),
  /** Time of this message on the leader's clock, as estimated by the joiner. */
  at: leaderTime,
  /** Unix time of this message in ms, on the clock of the joiner's machine. */
  unix_ms: z.number(),
});

/** Sent by a joiner once per second, from the time it is ready until it starts. */
export const ready: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
