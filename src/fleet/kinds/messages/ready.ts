import * as z from "zod";
import { leaderTime, type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({
  from: processId,
  planned_ms: z.number().min(0),
  ends_ms: z.number().min(0),
  /** Shortest round trip over the bus so far, in ms. */
  round_trip_ms: z.number().min(0),
  /** Time on the leader's clock at which this message was sent, as estimated by the sender. */
  at: leaderTime,
  /** Unix time in ms at which this message was sent, on the clock of the sender's machine. */
  unix_ms: z.number(),
});

/** Sent once per second by a process whose shard is ready, until the shard starts. */
export const ready: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
