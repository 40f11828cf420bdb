import * as z from "zod";
import { leaderTime, type MessageKind, processId, SMALL_BYTES } from "./message_kind.ts";

/** `sent` is copied from the ping. `now` is the current time on the leader's clock. */
const schema = z.strictObject({ leader: processId, sent: z.number(), now: leaderTime });

/** Sent by the leader in response to a ping. */
export const pong: MessageKind<typeof schema> = { schema, maxBytes: SMALL_BYTES };
