import * as z from "zod";
import { LF } from "../base/ascii.ts";
import { concat } from "../base/bytes/byte_source.ts";
import { InputError, RunError } from "../base/errors.ts";
import { parseExactJson } from "../base/exact_json.ts";
import { checkPlan } from "../plan/check_plan.ts";
import { withDoubles } from "../plan/normalize_plan.ts";
import { filesRead, secretFiles } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { LeaderLink } from "./links.ts";
import { CHUNK_BYTES, type MessageOf } from "./messages.ts";

/** Maximum size of a plan and its files, in bytes. */
const MAX_PLAN_BYTES = 1024 ** 3;

/** A plan, and the contents of the files that it uses, keyed by path. */
export interface FetchedPlan {
  readonly plan: Plan;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** First line of a packed plan: the plan, and the files whose contents follow it. */
const HEAD = z.object({ plan: z.unknown(), files: z.array(z.tuple([z.string(), z.number()])) });

/**
 * Packs a plan and its files into bytes to send over the bus. Omits the files that contain secrets.
 * Also omits the outputs and overlays of the plan, which are not needed to run a shard. Throws
 * InputError if a file cannot be read.
 */
export function packPlan(
  { outputs: _outputs, env: _env, ...plan }: Plan,
  readFile: (path: string) => Uint8Array,
): Uint8Array {
  const secret = new Set(secretFiles(plan));
  const files = [...new Set(filesRead(plan))].filter((path) => !secret.has(path))
    .map((path) => [path, readFile(path)] as const);
  const head: z.infer<typeof HEAD> = {
    plan,
    files: files.map(([path, { length }]) => [path, length]),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(head) + "\n");
  return concat([bytes, ...files.map(([, content]) => content)]);
}

export function chunkOf(packed: Uint8Array, chunk: number): string | undefined {
  const from = chunk * CHUNK_BYTES;
  return from < packed.length ? packed.subarray(from, from + CHUNK_BYTES).toBase64() : undefined;
}

/** Requests the plan that `welcome` announces. Rejects if the leader disappears. */
export async function fetchPlan(
  link: LeaderLink,
  { size, orphan_ms }: MessageOf<"welcome">,
): Promise<FetchedPlan> {
  if (size > MAX_PLAN_BYTES) throw new RunError("the leader's plan and its files exceed 1 GiB");
  const packed = new Uint8Array(size);
  for (let chunk = 0; chunk * CHUNK_BYTES < size; chunk++) {
    const from = chunk * CHUNK_BYTES;
    const expected = Math.min(CHUNK_BYTES, size - from);
    let data: Uint8Array | undefined;
    link.on.chunk = (received) => {
      const decoded = received.chunk === chunk ? fromBase64(received.data) : undefined;
      if (decoded?.length === expected) data = decoded;
    };
    const bytes = await link.until(() => {
      link.checkAdmission();
      if (link.silentMs > orphan_ms) throw new RunError("the leader disappeared before the start");
      return data;
    }, () => link.send({ kind: "chunk_request", from: link.id, chunk }));
    packed.set(bytes, from);
  }
  delete link.on.chunk;
  return unpackPlan(packed);
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

function unpackPlan(packed: Uint8Array): FetchedPlan {
  const source = "the leader's plan";
  let at = packed.indexOf(LF) + 1;
  let head: z.infer<typeof HEAD>;
  try {
    head = HEAD.parse(parseExactJson(new TextDecoder().decode(packed.subarray(0, at))));
  } catch {
    throw new InputError("it is malformed", { source });
  }
  const plan = withDoubles(head.plan);
  const error = checkPlan(plan).find(({ severity, code }) =>
    severity === "error" && code !== "no-base-url"
  );
  if (error) throw new InputError(`it is invalid: ${error.message}`, { source });
  const files = new Map(
    head.files.map(([path, size]) => [path, packed.subarray(at, at += size)]),
  );
  return { plan: plan as Plan, files };
}
