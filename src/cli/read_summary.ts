import { openBytes } from "../base/bytes/open_bytes.ts";
import { InputError } from "../base/errors.ts";
import { type Summary, SUMMARY_SCHEMA } from "../engine/summary.ts";
import type { Io } from "./io.ts";

const LISTS = ["shares", "thresholds", "checks", "endpoints", "errors", "scenarios", "timeline"];

/** Reads what `run --summary-export` wrote. Throws InputError for anything else. */
export async function readSummary(path: string, io: Io): Promise<Summary> {
  using source = await openBytes(path, io.stdin);
  const text = new TextDecoder().decode(await source.bytes());
  const wrong = (found: string) =>
    new InputError(
      `not a summary: ${found}; expected the JSON of rehearse run --summary-export`,
      { source: source.name },
    );
  const value = parse(text);
  if (typeof value !== "object" || value === null) throw wrong("it is no JSON object");
  const { schema, metrics, histograms } = value as Partial<Summary>;
  if (schema === undefined) throw wrong("it has no schema version");
  if (schema !== SUMMARY_SCHEMA) {
    throw wrong(`its schema version is ${JSON.stringify(schema)}, and ${SUMMARY_SCHEMA} is known`);
  }
  const missing = LISTS.find((key) => !Array.isArray((value as Record<string, unknown>)[key]));
  if (missing !== undefined) throw wrong(`it has no list of ${missing}`);
  if (!metrics || !histograms) throw wrong("it has no metrics with their histograms");
  return value as Summary;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
