import { HEAD_BYTES, MAX_DOCUMENT_BYTES } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { InputError } from "../../base/errors.ts";
import { SUMMARY_SCHEMA } from "../../engine/summary/codes.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { parseSummary } from "../../engine/summary/summary.ts";
import type { Io } from "../system/io.ts";

/**
 * Reads a summary that `run --summary-export` or `merge -o` wrote. Throws InputError if the file is
 * not a valid summary.
 */
export async function readSummary(path: string, io: Io): Promise<Summary> {
  using source = await openBytes(path, io.stdin);
  const head = (await source.peek(HEAD_BYTES)).slice();
  const text = new TextDecoder().decode(await source.bytes(MAX_DOCUMENT_BYTES));
  const invalid = (found: string) =>
    new InputError(
      `not a summary: ${found}; expected the output of \`rehearse run --summary-export\``,
      { source: source.name },
    );
  const value = parse(text);
  const { schema } = Object(value) as { readonly schema?: unknown };
  if (schema === undefined) {
    // Loaded only here, because it knows all log formats.
    const { rejectNonSummaries } = await import("./input_kind.ts");
    rejectNonSummaries(head, source.name);
  }
  if (value === undefined && isCutOff(text)) throw invalid("its JSON is incomplete");
  if (typeof value !== "object" || value === null) throw invalid("it is not a JSON object");
  if (schema === undefined) throw invalid("it has no schema version");
  if (schema !== SUMMARY_SCHEMA) {
    throw invalid(
      `its schema version is ${JSON.stringify(schema)}, but this version of rehearse reads ` +
        `version ${SUMMARY_SCHEMA}`,
    );
  }
  const shaped = parseSummary(value);
  if ("fault" in shaped) throw invalid(faultAt(shaped.fault, value));
  return shaped.summary;
}

function faultAt(path: readonly PropertyKey[], summary: object): string {
  const name = path.map(String).join(".");
  const found = path.reduce(
    (value: unknown, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    summary,
  );
  return found === undefined ? `\`${name}\` is missing` : `\`${name}\` has an invalid value`;
}

/** Reports whether `text` begins as a JSON object, but ends before it is complete. */
function isCutOff(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const { message } = error as Error;
    const at = Number(/ at position (\d+)/.exec(message)?.[1] ?? 0);
    return at >= text.length || /end of JSON|Unterminated/.test(message);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
