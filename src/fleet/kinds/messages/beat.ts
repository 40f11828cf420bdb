import * as z from "zod";
import { type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

const schema = z.strictObject({ from: processId });

/** Sent once per second by a process while it loads the plan and while it runs its shard. */
export const beat: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
