import { detectFormat, resolveFormats } from "../../src/traffic/accesslog/formats/formats.ts";
import type { LogFormat } from "../../src/traffic/accesslog/read/log_format.ts";
import type { LogRequest } from "../../src/traffic/accesslog/read/log_request.ts";
import { readLines } from "./read_lines.ts";

/** A request read from a log. A property is absent if the line lacks the corresponding field. */
export interface ReadRequest {
  /** Timestamp in Unix milliseconds, rounded. */
  ms: number;
  /** Method and unescaped target. */
  request: string;
  /** HTTP status, or 0 if the line lacks it. */
  status: number;
  /** Duration in milliseconds. */
  took?: number;
  /** Client address. */
  client?: string;
  /** User agent, still escaped. */
  agent?: string;
}

/**
 * Reads the requests of a log. `value` is a value of `--log-format`. When absent, detects the
 * format.
 */
export function readAs(log: string, value?: string): ReadRequest[] {
  const bytes = new TextEncoder().encode(log);
  const formats = value === undefined ? undefined : resolveFormats(value);
  return readRequests(bytes, detectFormat(bytes, formats) ?? formats![0]);
}

/** Reads the requests of a log in the given format. */
export function readRequests(log: Uint8Array, format: LogFormat): ReadRequest[] {
  const found: ReadRequest[] = [];
  readLines(log, format, { collectors: [{ add: (request) => found.push(toFields(request)) }] });
  return found;
}

function toFields(request: LogRequest): ReadRequest {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes.slice());
  const target = request.target;
  const found: ReadRequest = {
    ms: Math.round(request.timeMs),
    request: `${text(request.method())} ${text(target.bytes.subarray(target.from, target.to))}`,
    status: request.status,
  };
  if (request.durationMs >= 0) found.took = Number(request.durationMs.toPrecision(9));
  if (request.has("client")) found.client = text(request.raw("client"));
  if (request.has("agent")) found.agent = text(request.raw("agent"));
  return found;
}
