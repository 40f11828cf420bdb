import * as z from "zod";
import { count, LARGE_BYTES, type MessageKind, processId } from "./message_kind.ts";

/** Maximum number of parts of a plan: its text and the files that it names. */
const MAX_PARTS = 2_000;

const part = z.strictObject({
  /** Path of the file as written in the plan; empty for the plan itself. */
  path: z.string().max(4_096),
  /** Size of the content, in bytes. */
  size: count,
  /** SHA-256 of the content, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

const schema = z.strictObject({
  leader: processId,
  /** Index of the shard to run, from 0 to `of - 1`. */
  index: count,
  of: count.min(1),
  plan_hash: z.string().regex(/^[0-9a-f]{64}$/),
  seed: count,
  /** The plan as JSON, followed by its files. */
  parts: z.array(part).min(1).max(MAX_PARTS),
  /** Maximum time in ms without a message from the leader. After that, the shard stops. */
  orphan_ms: z.number().min(0),
});

/**
 * Sent by the leader to a process that may join the run. Contains the shard to run, and a list of
 * the parts of the plan to request.
 */
export const welcome: MessageKind<typeof schema> = { schema, maxBytes: LARGE_BYTES };
