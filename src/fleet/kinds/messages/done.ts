import * as z from "zod";
import { RUN_FAILURES } from "../../../engine/summary/codes.ts";
import { count, leaderTime, type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({
  from: processId,
  /** Sequence number of the shard's last delta. */
  seq: count,
  /** Time at which the shard started. */
  started_at: leaderTime,
  duration_ms: z.number().min(0),
  ending: z.enum(["finished", "interrupted", "assertion"]),
  /** Reason why the shard failed as a whole; null if it did not. */
  failure: z.enum(RUN_FAILURES).nullable(),
});

/**
 * Sent once per second by a process whose shard has ended, until the leader confirms that it has
 * received everything.
 */
export const done: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
