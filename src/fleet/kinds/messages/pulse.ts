import * as z from "zod";
import { leaderTime, type MessageKind, processId, shortText, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({
  leader: processId,
  /** Host name of the leader's process. */
  name: shortText,
  phase: z.enum(["waiting", "running", "ended"]),
  /** Time at which all shards start; null until it is known. */
  starts_at: leaderTime.nullable(),
  /**
   * `no` lets the run continue, `stop` ends it gracefully, and `kill` also cancels running
   * iterations.
   */
  stop: z.enum(["no", "stop", "kill"]),
  /** Reason why the run was ended before its start; otherwise empty. */
  reason: shortText,
});

/**
 * Sent by the leader to all processes once per second, and whenever its state changes. Contains the
 * whole state, so that a lost message does no harm.
 */
export const pulse: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
