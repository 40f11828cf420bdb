import * as z from "zod";
import { count, type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({ from: processId, part: count, chunk: count });

/** Sent to the leader to request one chunk of a part of the plan. */
export const chunkRequest: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
