import { z } from "zod";

/** Definition of one kind of message on the bus. */
export interface MessageKind<Schema extends z.ZodObject> {
  /** Schema of the message. Unknown keys are rejected. */
  readonly schema: Schema;
  /** Maximum size of an encoded message in bytes. */
  readonly maxBytes: number;
}

/** Maximum size of a message without lists or contents, in bytes. */
export const SMALL_BYTES: number = 8 * 1024;
/** Maximum size of any message, in bytes. NATS servers accept this size by default. */
export const LARGE_BYTES: number = 1024 * 1024;

/** Identifier of a process that takes part in a run. It is also a part of a bus subject. */
export const processId: z.ZodString = z.string().regex(/^[\w-]{1,64}$/);
/** Text for people: a host name or a reason. */
export const shortText: z.ZodString = z.string().max(2_000);
/** Integer from 0 to 2^53. */
export const count: z.ZodNumber = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** Milliseconds on the leader's clock. */
export const leaderTime: z.ZodNumber = z.number();
