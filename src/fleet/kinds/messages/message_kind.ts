import * as z from "zod";

/** Definition of one kind of message on the bus. */
export interface MessageKind<Schema extends z.ZodObject> {
  /** Schema of the message. Unknown keys are rejected. */
  readonly schema: Schema;
  /** Maximum size of an encoded message in bytes. */
  readonly maxBytes: number;
}

/** Maximum size in bytes of a message that contains no lists or file contents. */
export const SMALL_BYTES: number = 8 * 1024;
/** Maximum size in bytes of any message. By default, NATS servers accept messages of this size. */
export const LARGE_BYTES: number = 1024 * 1024;

/** Identifier of a process that takes part in a run. It is also part of a bus subject. */
export const processId: z.ZodString = z.string().regex(/^[\w-]{1,64}$/);
/** Text to display to users, such as a host name or a reason. */
export const shortText: z.ZodString = z.string().max(2_000);
/** Integer from 0 to 2^53 − 1. */
export const count: z.ZodNumber = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** Milliseconds on the leader's clock. */
export const leaderTime: z.ZodNumber = z.number();
