import { hash } from "node:crypto";
import { filesRead, secretFiles } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { CHUNK_BYTES, type MessageOf } from "../messages.ts";

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
    hash: hash("sha256", bytes),
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
