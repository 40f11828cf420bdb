import { durationMs } from "../../../base/duration.ts";
import { OutputError } from "../../../base/errors.ts";
import type { Output } from "../../../plan/kinds/outputs/outputs.ts";
import { CSV_LINES } from "./csv.ts";
import { FileOutput, fileSink, type SampleFormat } from "../../outputs/file_output.ts";
import { JSON_LINES } from "./json.ts";
import { otlpMetrics } from "./otlp.ts";
import { PrometheusScrape } from "./prometheus_scrape.ts";
import { post, Pusher } from "../../outputs/pusher.ts";
import { REMOTE_WRITE_HEADERS, remoteWrite } from "./remote_write.ts";
import type { RunOutput } from "../../outputs/run_output.ts";
import { StatsdOutput } from "./statsd.ts";

/** Number of bytes read from an existing file to detect its format. */
const HEAD_BYTES = 64 * 1024;

/**
 * Opens the outputs of a plan. `resolve` maps a path in the plan to the file to write, and throws
 * OutputError for a file that must not be written. If one output cannot be opened, closes the
 * others and throws OutputError, or NotCapable if a permission is missing.
 */
export async function openOutputs(
  outputs: readonly Output[],
  resolve: (path: string) => string,
): Promise<RunOutput[]> {
  const opened: RunOutput[] = [];
  try {
    for (const output of outputs) opened.push(...open(output, resolve));
    return opened;
  } catch (error) {
    await Promise.all(opened.map((output) => output.close()));
    throw error;
  }
}

function open(output: Output, resolve: (path: string) => string): RunOutput[] {
  switch (output.type) {
    case "json":
      return [file(output, resolve, JSON_LINES)];
    case "csv":
      return [file(output, resolve, CSV_LINES)];
    case "prometheus":
      return prometheus(output);
    case "otlp":
      return [otlp(output)];
    case "statsd": {
      const { hostname, port } = address(output.address, "outputs.address");
      return [new StatsdOutput(hostname, port, output.prefix ?? "rehearse.")];
    }
  }
}

type OutputOf<Type extends Output["type"]> = Extract<Output, { type: Type }>;

function file(
  { type, path }: OutputOf<"json" | "csv">,
  resolve: (path: string) => string,
  format: SampleFormat,
): RunOutput {
  try {
    const target = resolve(path);
    if (!mayReplace(target, format)) {
      const message = "the file exists and is not an earlier output of this type; " +
        "remove it or choose another path";
      throw new OutputError(`cannot write the output ${path}: ${message}`);
    }
    const options = { write: true, create: true, truncate: true };
    return new FileOutput(`${type} ${path}`, fileSink(Deno.openSync(target, options)), format);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || error instanceof OutputError) throw error;
    throw new OutputError(`cannot write the output ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * Reports whether the output may write to `path`: no file exists there, or it is empty, a device, a
 * pipe, or an earlier output in this format.
 */
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

function prometheus(output: OutputOf<"prometheus">): RunOutput[] {
  const { listen, remote_write: url, headers } = output;
  const opened: RunOutput[] = [];
  if (listen !== undefined) opened.push(scrape(listen));
  if (url !== undefined) {
    opened.push(
      new Pusher({
        name: `prometheus ${url}`,
        intervalMs: pushInterval(output),
        send: (points, time, signal) =>
          post(
            url,
            { ...headers, ...REMOTE_WRITE_HEADERS },
            remoteWrite(points, time),
            signal,
          ),
      }),
    );
  }
  return opened;
}

function scrape(listen: string): RunOutput {
  const { hostname, port } = address(listen, "outputs.listen");
  try {
    return new PrometheusScrape(hostname, port);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new OutputError(`cannot listen at ${listen}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function otlp(output: OutputOf<"otlp">): RunOutput {
  const { endpoint, headers } = output;
  const url = URL.parse(endpoint);
  if (url === null) throw new OutputError(`cannot push to ${endpoint}: it is not a URL`);
  if (url.pathname === "/") url.pathname = "/v1/metrics";
  const start = Date.now();
  return new Pusher({
    name: `otlp ${endpoint}`,
    intervalMs: pushInterval(output),
    send: (points, time, signal) =>
      post(
        url.href,
        { ...headers, "content-type": "application/json" },
        JSON.stringify(otlpMetrics(points, start, time)),
        signal,
      ),
  });
}

function pushInterval({ interval = "5s" }: OutputOf<"prometheus" | "otlp">): number {
  return Math.max(100, durationMs(interval) ?? 5_000);
}

function address(text: string, key: string): { hostname: string; port: number } {
  const [, bracketed, host, port] = /^(?:\[(.+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new OutputError(
      `invalid \`${key}\`: expected host:port, such as 127.0.0.1:9464, found ${text}`,
    );
  }
  return { hostname: bracketed ?? (host || "127.0.0.1"), port: Number(port) };
}
