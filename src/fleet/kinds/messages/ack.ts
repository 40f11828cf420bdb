import { z } from "zod";
import { count, type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({
  leader: processId,
  /**
   * Sequence number of the last delta that the leader has added. The leader has also added all
   * earlier deltas.
   */
  seq: count,
  /** True if the leader has received everything from the shard. */
  done: z.boolean(),
});

/** Sent to a joiner in response to its `delta` and `done` messages. */
export const ack: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
