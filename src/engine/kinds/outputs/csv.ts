import type { TagName } from "../../../plan/text/metrics.ts";
import { openFileOutput, type SampleFormat } from "../../outputs/file_output.ts";
import type { OutputOf, RunOutput } from "../../outputs/open_output.ts";
import type { Sample } from "../../metrics/sample.ts";

/** Key of a sample of any type. */
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

/**
 * CSV format with one row per sample. The column `tags` contains the tags that the plan sets. Each
 * tag has the form `name=value`, and semicolons separate the tags.
 */
export const CSV_LINES: SampleFormat = {
  head: HEAD,
  line,
  isOwn: (start) => start.startsWith(HEAD),
};

/** Opens an output of type `csv`. */
export function openCsv(
  output: OutputOf<"csv">,
  resolve: (path: string) => string,
): RunOutput[] {
  return [openFileOutput(output, resolve, CSV_LINES)];
}

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
