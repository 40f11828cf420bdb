import * as z from "zod";
import { count, type MessageKind, processId, shortText, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({
  from: processId,
  /** Host name of the process. */
  name: shortText,
  /** Version of rehearse that the process runs. */
  version: shortText,
  /** Zero-based index of the shard to run, or null to let the leader choose. */
  index: count.nullable(),
});

/** Sent once per second by a process that wants to join a run, until a leader responds. */
export const hello: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
