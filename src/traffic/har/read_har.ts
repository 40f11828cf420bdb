import { joinForwarded, parseEntry } from "./entry.ts";
import { BrokenEntry, headerValue, type JsonObject } from "./har_fields.ts";
import { HarSplitter } from "./har_splitter.ts";
import { rebuildBodies } from "./lost_bodies.ts";
import type { Exchange, Recording, SkippedEntry } from "./recording.ts";
import { isStaticCall } from "./response.ts";

/** Maximum size of an entry, and of the rest of the file, in bytes. */
const LARGEST = 256 * 2 ** 20;

/**
 * Reads a HAR file (HTTP Archive 1.1 to 1.3, UTF-8) from a stream. Reduces each entry to the fields
 * that conversion needs as soon as the entry is complete, so the file can be larger than the
 * longest possible string. Skips unusable entries and lists them in `skipped`. Throws InputError
 * with the position of the error if the bytes are not JSON or not a HAR. `name` is the name of the
 * input in error messages.
 */
export async function readHar(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
): Promise<Recording> {
  const read: Exchange[] = [];
  const skipped: SkippedEntry[] = [];
  let index = 0;
  const splitter = new HarSplitter(name, LARGEST, (entry, place) => {
    try {
      if (entry === undefined) throw new BrokenEntry(`it is larger than ${LARGEST / 2 ** 20} MiB`);
      read.push(parseEntry(entry, index, read.at(-1)?.endedAt ?? NaN));
    } catch (error) {
      if (!(error instanceof BrokenEntry)) throw error;
      skipped.push({ index, place, reason: error.message });
    }
    index++;
  });
  for await (const chunk of source) splitter.push(chunk);
  const { pages, creator, browser } = splitter.finish();
  const timed = withTimes(read).sort((a, b) => a.startedAt - b.startedAt);
  const exchanges = rebuildBodies(joinForwarded(timed));
  return {
    exchanges,
    skipped,
    pages: pageTitles(pages),
    creator: product(creator),
    browser: product(browser),
    hasCredentials: exchanges.some(carriesCredentials),
    hasBodies: exchanges.some(holdsBody),
  };
}

/** Replaces the times of the first entries, if they are NaN, with the first known start. */
function withTimes(read: readonly Exchange[]): Exchange[] {
  const known = read.findIndex(({ startedAt }) => !Number.isNaN(startedAt));
  const at = read[known]?.startedAt ?? 0;
  return read.map((exchange, i) =>
    i < known || known < 0 ? { ...exchange, startedAt: at, endedAt: at } : exchange
  );
}

function holdsBody({ request, response }: Exchange): boolean {
  return !isStaticCall(request, response.mimeType) && Boolean(response.text);
}

function carriesCredentials({ request, response }: Exchange): boolean {
  const { headers } = request;
  return Boolean(
    headerValue(headers, "cookie") || headerValue(headers, "authorization") ||
      headerValue(response.headers, "set-cookie"),
  );
}

function pageTitles(pages: unknown): Map<string, string> {
  const listed = Array.isArray(pages) ? pages : [];
  return new Map(
    listed.flatMap((page) => {
      const [id, title] = textsOf(page, ["id", "title"]);
      return id === "" ? [] : [[id, title || id]];
    }),
  );
}

function product(value: unknown): string {
  return textsOf(value, ["name", "version"]).filter(Boolean).join(" ");
}

/**
 * Returns the texts of members, or empty strings for missing and invalid ones. Tolerates any value,
 * because a recording with malformed metadata is still usable.
 */
function textsOf(value: unknown, names: readonly string[]): string[] {
  const members = (value ?? {}) as JsonObject;
  return names.map((name) => {
    const member = members[name];
    return typeof member === "string" || typeof member === "number" ? String(member) : "";
  });
}
