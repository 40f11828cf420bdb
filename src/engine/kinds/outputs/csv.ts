import { openFileOutput, type SampleFormat } from "../../outputs/file_output.ts";
import type { OpenOutput } from "../../outputs/open_output.ts";
import type { Sample } from "../../metrics/sample.ts";

const COLUMNS = [
  "time",
  "type",
  "scenario",
  "group",
  "name",
  "method",
  "status",
  "failed",
  "error_kind",
  "data_sent",
  "data_received",
  "http_req_duration",
  "http_req_blocked",
  "http_req_connecting",
  "http_req_tls_handshaking",
  "http_req_sending",
  "http_req_waiting",
  "http_req_receiving",
  "http_req_latency_corrected",
  "iteration_duration",
  "check",
  "passed",
  "tags",
] as const;

const OWN: ReadonlySet<string> = new Set(COLUMNS);

const HEAD = COLUMNS.join(",") + "\n";

/**
 * CSV format with one row per sample. The column `tags` contains the tags set in the plan as
 * `name=value`, separated by semicolons.
 */
export const CSV_LINES: SampleFormat = {
  head: HEAD,
  line,
  isOwn: (start) => start.startsWith(HEAD),
};

/** Opens an output of type `csv`. */
export const openCsv: OpenOutput<"csv"> = (output, resolve) => [
  openFileOutput(output, resolve, CSV_LINES),
];

function line(sample: Sample): string {
  const tags = sample.type === "request" ? sample.tags : {};
  const values: Readonly<Record<string, unknown>> = {
    ...tags,
    ...sample,
    time: new Date(sample.time).toISOString(),
    tags: Object.entries(tags).filter(([tag]) => !OWN.has(tag))
      .map(([tag, value]) => `${tag}=${value}`).join(";"),
  };
  return COLUMNS.map((column) => cell(values[column])).join(",") + "\n";
}

/**
 * Formats a value as a CSV cell, quoted if necessary. Adds a leading `'` to text that a spreadsheet
 * would evaluate as a formula.
 */
function cell(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
