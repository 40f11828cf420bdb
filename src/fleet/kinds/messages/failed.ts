import * as z from "zod";
import { type MessageKind, processId, shortText, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({ from: processId, reason: shortText });

/** Sent by a process that cannot run its shard. */
export const failed: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
