import * as z from "zod";
import { type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

/** `sent` is the time in ms on the sender's clock. */
const schema = z.strictObject({ from: processId, sent: z.number() });

/** Sent by a process that joins a run, to measure the offset between its clock and the leader's. */
export const ping: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
