import * as z from "zod";
import { type MessageKind, processId, shortText, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({ leader: processId, reason: shortText });

/** Sent by the leader to a process that cannot take part in the run. */
export const refusal: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
