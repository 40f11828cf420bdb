import { z } from "zod";
import { type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

/** `sent` is the time on the joiner's clock in ms. */
const schema = z.strictObject({ from: processId, sent: z.number() });

/** Sent by a joiner to measure the offset of its clock. */
export const ping: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
