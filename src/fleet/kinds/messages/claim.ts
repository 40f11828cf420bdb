import * as z from "zod";
import { type MessageKind, processId, shortText, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({ from: processId, name: shortText });

/**
 * Sent by a process that wants to lead the run. A process that already leads it responds with a
 * pulse.
 */
export const claim: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
