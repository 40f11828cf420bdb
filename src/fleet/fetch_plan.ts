import { hash as hashBytes } from "node:crypto";
import { InputError, RunError } from "../base/errors.ts";
import { parseExactJson } from "../base/exact_json.ts";
import { checkPlan } from "../plan/check_plan.ts";
import { withDoubles } from "../plan/normalize_plan.ts";
import { filesRead, secretFiles } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { LeaderLink } from "./links.ts";
import { CHUNK_BYTES, type MessageOf } from "./messages.ts";

/** A plan and its files, divided into the parts that are sent over the bus. */
export interface PlanParts {
  /** Path, size and hash of each part. */
  readonly list: MessageOf<"welcome">["parts"];
  /** Returns a chunk of a part in base64, or undefined if there is no such chunk. */
  chunk(part: number, chunk: number): string | undefined;
}

/**
 * Reads the files of a plan and divides the plan into parts to send over the bus. Omits the files
 * that contain secrets. Also omits the outputs and overlays of the plan, which are not needed to
 * run a shard. Throws InputError if a file cannot be read.
 */
export function planParts(
  { outputs: _outputs, env: _env, ...plan }: Plan,
  readFile: (path: string) => Uint8Array,
): PlanParts {
  const secret = new Set(secretFiles(plan));
  const paths = [...new Set(filesRead(plan))].filter((path) => !secret.has(path));
  const text = new TextEncoder().encode(JSON.stringify(plan));
  const contents = [text, ...paths.map(readFile)];
  const list = contents.map((bytes, i) => ({
    path: i === 0 ? "" : paths[i - 1],
    size: bytes.length,
    hash: hashBytes("sha256", bytes),
  }));
  return {
    list,
    chunk(part, chunk) {
      const from = chunk * CHUNK_BYTES;
      const bytes = contents.at(part);
      if (bytes === undefined || from >= bytes.length) return undefined;
      return bytes.subarray(from, from + CHUNK_BYTES).toBase64();
    },
  };
}

/** Maximum total size of a plan and its files, in bytes. */
const MAX_PLAN_BYTES = 1024 ** 3;

/** A plan, and the contents of the files that it uses, keyed by path. */
export interface FetchedPlan {
  readonly plan: Plan;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/**
 * Requests the parts of the plan that `welcome` lists. Rejects with RunError if the leader
 * disappears or a part is damaged, and with InputError if the plan is invalid.
 */
export async function fetchPlan(
  link: LeaderLink,
  { parts, orphan_ms }: MessageOf<"welcome">,
): Promise<FetchedPlan> {
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_PLAN_BYTES) throw new RunError("the leader's plan and its files exceed 1 GiB");
  const contents: Uint8Array[] = [];
  for (const [part, { path, size, hash }] of parts.entries()) {
    const bytes = await fetchPart(link, part, size, orphan_ms);
    if (hashBytes("sha256", bytes) !== hash) {
      throw new RunError(`the ${path === "" ? "plan" : `file ${path}`} arrived damaged`);
    }
    contents.push(bytes);
  }
  const [text, ...files] = contents;
  return {
    plan: readPlan(new TextDecoder().decode(text)),
    files: new Map(files.map((bytes, i) => [parts[i + 1].path, bytes])),
  };
}

async function fetchPart(
  link: LeaderLink,
  part: number,
  size: number,
  orphanMs: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let chunk = 0; chunk * CHUNK_BYTES < size; chunk++) {
    const from = chunk * CHUNK_BYTES;
    const expected = Math.min(CHUNK_BYTES, size - from);
    let data: Uint8Array | undefined;
    link.on.chunk = (received) => {
      if (received.part !== part || received.chunk !== chunk) return;
      const decoded = fromBase64(received.data);
      if (decoded?.length === expected) data = decoded;
    };
    bytes.set(
      await link.until(() => {
        link.checkAdmission();
        if (link.silentMs > orphanMs) throw new RunError("the leader disappeared before the start");
        return data;
      }, () => link.send({ kind: "chunk_request", from: link.id, part, chunk })),
      from,
    );
  }
  delete link.on.chunk;
  return bytes;
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

function readPlan(text: string): Plan {
  const source = "the leader's plan";
  let plan: unknown;
  try {
    plan = withDoubles(parseExactJson(text));
  } catch {
    throw new InputError("it is not JSON", { source });
  }
  const error = checkPlan(plan).find(({ severity, code }) =>
    severity === "error" && code !== "no-base-url"
  );
  if (error) throw new InputError(`it is invalid: ${error.message}`, { source });
  return plan as Plan;
}
