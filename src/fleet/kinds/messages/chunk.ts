import * as z from "zod";
import { count, LARGE_BYTES, type MessageKind, processId } from "./message_kind.ts";

/** Size in bytes of each chunk of a part, except the last one, which can be smaller. */
export const CHUNK_BYTES = 256 * 1024;

const schema = z.strictObject({
  leader: processId,
  part: count,
  chunk: count,
  /** Content of the chunk, in Base64. */
  data: z.string().max(Math.ceil(CHUNK_BYTES / 3) * 4),
});

/** Sent by the leader on request. Contains one chunk of a part of the plan. */
export const chunk: MessageKind<typeof schema> = { schema, maxBytes: LARGE_BYTES };
