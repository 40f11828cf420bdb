import type { Output, OutputKind } from "../../plan/kinds/outputs.ts";
import { openOtlp } from "./otlp.ts";
import type { ExportIdentity, OpenOutput, OutputOf, OutputReport, RunOutput } from "./outputs.ts";
import { openPrometheus } from "./prometheus.ts";
import { OutputError, systemMessage } from "../../base/errors.ts";
import type { TagName } from "../../plan/text/metrics.ts";
import type { Sample, SampleBatch } from "../metrics/snapshot.ts";

const OPEN: { readonly [Kind in OutputKind]: OpenOutput<Kind> } = {
  json: openFile,
  csv: openFile,
  prometheus: openPrometheus,
  otlp: openOtlp,
};

/**
 * Opens the outputs of a plan. `resolve` maps a path in the plan to the path of the file to write,
 * and throws OutputError for a file that must not be written. `identity` labels exported metrics.
 * If one output cannot be opened, closes the others and throws OutputError, or NotCapable if a
 * permission is missing.
 */
export async function openOutputs(
  outputs: readonly Output[],
  resolve: (path: string) => string,
  identity: ExportIdentity,
): Promise<RunOutput[]> {
  const opened: RunOutput[] = [];
  try {
    for (const output of outputs) {
      opened.push(...open(output.type, output, resolve, identity));
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map((output) => output.close()));
    throw error;
  }
}

function open<Kind extends OutputKind>(
  kind: Kind,
  output: OutputOf<Kind>,
  resolve: (path: string) => string,
  identity: ExportIdentity,
): RunOutput[] {
  return OPEN[kind](output, resolve, identity);
}

/** Size of the write queue, in bytes, above which new samples are dropped. */
const MAX_QUEUED_BYTES = 16 << 20;

const HEAD_BYTES = 64 * 1024;

/** Text format for samples. A file contains `head` once, then one line per sample. */
export interface SampleFormat {
  readonly head?: string;
  line(sample: Sample): string;
  isOwn(start: string): boolean;
}

/** Writes samples to a file. Drops those that arrive while the queue is full or after an error. */
export class FileOutput implements RunOutput {
  readonly #name: string;
  readonly #file: WritableStreamDefaultWriter<Uint8Array>;
  readonly #format: SampleFormat;
  readonly #encoder = new TextEncoder();
  #queued = 0;
  #written = 0;
  #dropped = 0;
  #error: string | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(name: string, file: WritableStream<Uint8Array>, format: SampleFormat) {
    this.#name = name;
    this.#file = file.getWriter();
    this.#format = format;
    if (format.head !== undefined) this.#write(format.head, 0);
  }

  samples({ samples, dropped }: SampleBatch): void {
    this.#dropped += dropped;
    if (samples.length === 0) return;
    if (this.#queued > MAX_QUEUED_BYTES || this.#error !== undefined) {
      this.#dropped += samples.length;
      return;
    }
    this.#write(samples.map((sample) => this.#format.line(sample)).join(""), samples.length);
  }

  async close(): Promise<OutputReport> {
    await this.#last;
    await this.#file.close().catch((error) => this.#fail(error, 0));
    const report = { name: this.#name, written: this.#written, dropped: this.#dropped };
    return this.#error === undefined ? report : { ...report, error: this.#error };
  }

  #write(text: string, samples: number): void {
    const bytes = this.#encoder.encode(text);
    this.#queued += bytes.length;
    this.#last = this.#file.write(bytes).then(() => {
      this.#queued -= bytes.length;
      this.#written += samples;
    }, (error) => this.#fail(error, samples));
  }

  #fail(error: unknown, samples: number): void {
    this.#dropped += samples;
    this.#error ??= systemMessage(error);
  }
}

/**
 * Opens an output that writes samples to a file. Throws OutputError if the file cannot be opened,
 * or if it exists and is not an earlier output in this format.
 */
function openFile(
  { type, path }: OutputOf<"json" | "csv">,
  resolve: (path: string) => string,
): RunOutput[] {
  const format = type === "json" ? JSON_LINES : CSV_LINES;
  try {
    const target = resolve(path);
    if (!mayReplace(target, format)) {
      const message = "the file already exists and is not an earlier output of this type. " +
        "Remove it or choose another path.";
      throw new OutputError(`cannot write the output ${path}: ${message}`);
    }
    const options = { write: true, create: true, truncate: true };
    return [new FileOutput(`${type} ${path}`, fileSink(Deno.openSync(target, options)), format)];
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || error instanceof OutputError) throw error;
    throw new OutputError(`cannot write the output ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Reports whether a path has no file, or an empty one, a device, a pipe or an earlier output. */
function mayReplace(path: string, format: SampleFormat): boolean {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile || size === 0) return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(HEAD_BYTES);
  const count = file.readSync(bytes) ?? 0;
  return format.isOwn(new TextDecoder().decode(bytes.subarray(0, count)));
}

/**
 * Returns a stream that writes to an open file, and closes the file at the end or on the first
 * error. If a chunk cannot be written completely, the part already written is removed. Replaces
 * `Deno.FsFile.writable`, which loses bytes silently when the disk is full.
 */
export function fileSink(
  file: Pick<Deno.FsFile, "write" | "truncate" | "close">,
): WritableStream<Uint8Array> {
  let whole = 0;
  return new WritableStream({
    async write(bytes) {
      try {
        for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
        whole += bytes.length;
      } catch (error) {
        await file.truncate(whole).catch(() => {}); // devices and pipes cannot be truncated
        file.close();
        throw error;
      }
    },
    close: () => file.close(),
    abort: () => file.close(),
  });
}

const TYPES: Readonly<Record<Sample["type"], true>> = {
  request: true,
  check: true,
  iteration: true,
  dropped_iteration: true,
  metric: true,
};

export const JSON_LINES: SampleFormat = {
  line: (sample) => JSON.stringify({ ...sample, time: new Date(sample.time).toISOString() }) + "\n",
  isOwn(start) {
    try {
      const sample = JSON.parse(start.split("\n", 1)[0]);
      return typeof sample?.time === "string" && Object.hasOwn(TYPES, sample.type);
    } catch {
      return false;
    }
  },
};

type SampleKey<S = Sample> = S extends Sample ? keyof S : never;

// A record instead of a list, so that a missing or misspelled column does not compile.
const COLUMN_SET: Readonly<Record<SampleKey | TagName, true>> = {
  time: true,
  type: true,
  scenario: true,
  group: true,
  name: true,
  method: true,
  status: true,
  failed: true,
  error_kind: true,
  data_sent: true,
  data_received: true,
  http_req_duration: true,
  http_req_blocked: true,
  http_req_connecting: true,
  http_req_tls_handshaking: true,
  http_req_sending: true,
  http_req_waiting: true,
  http_req_receiving: true,
  http_req_latency_corrected: true,
  iteration_duration: true,
  check: true,
  metric: true,
  value: true,
  passed: true,
  tags: true,
};
const COLUMNS = Object.keys(COLUMN_SET);

const HEAD = COLUMNS.join(",") + "\n";

/** A row per sample. The column `tags` has the plan's tags, as `name=value;name=value`. */
export const CSV_LINES: SampleFormat = {
  head: HEAD,
  line,
  isOwn: (start) => start.startsWith(HEAD),
};

function line(sample: Sample): string {
  const tags = sample.type === "request" || sample.type === "metric" ? sample.tags : {};
  const values: Readonly<Record<string, unknown>> = {
    ...tags,
    ...sample,
    time: new Date(sample.time).toISOString(),
    tags: Object.entries(tags).filter(([tag]) => !Object.hasOwn(COLUMN_SET, tag))
      .map(([tag, value]) => `${tag}=${value}`).join(";"),
  };
  return COLUMNS.map((column) => cell(values[column])).join(",") + "\n";
}

function cell(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
