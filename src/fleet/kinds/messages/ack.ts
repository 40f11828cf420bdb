import * as z from "zod";
import { count, type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({
  leader: processId,
  /**
   * Sequence number of the last delta that the leader has added to its counts. The leader has also
   * added all earlier deltas.
   */
  seq: count,
  /** True if the leader has received everything from the shard. */
  done: z.boolean(),
});

/** Sent by the leader in response to a `delta` or `done` message. */
export const ack: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
