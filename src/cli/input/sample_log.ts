import { LF } from "../../base/ascii.ts";
import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { firstLines } from "../../traffic/accesslog/detect/first_lines.ts";
import type { CountedFilter } from "../../traffic/accesslog/collect/filters.ts";
import {
  MIN_REPORTED,
  type TrafficSample,
  TrafficSampler,
} from "../../traffic/accesslog/collect/traffic_sample.ts";
import type { LogFormat } from "../../traffic/accesslog/read/log_format.ts";
import { RequestReader } from "../../traffic/accesslog/read/request_reader.ts";

/**
 * Number of parts of a log that are read as a sample. Together, the parts contain about 600
 * requests. If these are independent, a proportion estimated from them has a standard error of at
 * most 2 %.
 */
const PARTS = 16;
/** Length of a sampled part of a log, in bytes. */
const PART_BYTES = 8 * 1024;

/** A log to sample. */
export interface SampledLog {
  readonly source: ByteSource;
  readonly format: LogFormat;
}

/**
 * Reads a sample of the requests in `logs` that pass all `filters`. Reads a small log completely, a
 * large file in evenly spaced parts, and only the beginning of a stream or a compressed file. Does
 * not consume the sources. Returns undefined if a log cannot be sampled.
 */
export async function sampleLogs(
  logs: readonly SampledLog[],
  filters: readonly CountedFilter[],
): Promise<TrafficSample | undefined> {
  const sampler = new TrafficSampler();
  let isWhole = true;
  for (const { source, format } of logs) {
    const parts = Math.max(1, Math.floor(PARTS / logs.length));
    const found = await readParts(source, parts);
    if (found === undefined) return undefined;
    isWhole &&= found.isWhole;
    const reader = new RequestReader(format);
    for (const part of found.parts) {
      const { bytes, lines } = firstLines(part);
      const view = new DataView(bytes.buffer);
      for (const { start, end } of lines) {
        if (reader.read(bytes, view, start, end) !== undefined) continue;
        if (filters.every((filter) => filter.keeps(reader.request))) sampler.add(reader.request);
      }
    }
  }
  if (sampler.requests < MIN_REPORTED) return sampler.result(isWhole);
  // Loaded only now, because compiling its patterns takes as long as reading a small log.
  const { isBot } = await import("../../traffic/accesslog/collect/bots.ts");
  return sampler.result(isWhole, isBot);
}

/** Parts of a log. Each part consists of whole lines. */
interface LogParts {
  readonly parts: readonly Uint8Array[];
  readonly isWhole: boolean;
}

async function readParts(source: ByteSource, count: number): Promise<LogParts | undefined> {
  const { slicePath, size = 0 } = source;
  const most = count * PART_BYTES;
  if (slicePath === undefined || size <= most) {
    const head = await source.peek(most + 1);
    const isWhole = head.length <= most;
    return { parts: [isWhole ? head : toLastLine(head)], isWhole };
  }
  try {
    using file = Deno.openSync(slicePath);
    const parts = Array.from({ length: count }, (_, i) => {
      const at = Math.floor(i * (size - PART_BYTES) / Math.max(1, count - 1));
      const part = new Uint8Array(PART_BYTES);
      file.seekSync(at, Deno.SeekMode.Start);
      const length = file.readSync(part) ?? 0;
      const start = at === 0 ? 0 : part.indexOf(LF) + 1;
      return toLastLine(part.subarray(start, length));
    });
    return { parts, isWhole: false };
  } catch {
    // Reading the log reports the error.
    return undefined;
  }
}

function toLastLine(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.lastIndexOf(LF) + 1);
}
