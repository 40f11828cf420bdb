/** An entry that every HAR reader must find. */
export interface ReferenceEntry {
  readonly index: number;
  readonly method: string;
  readonly url: string;
  readonly status: number;
}

// deno-lint-ignore no-explicit-any -- an unchecked HAR
type Entry = any;

/**
 * Parses a whole HAR at once. Returns the entries that have a method and an absolute URL, in the
 * order of their start times.
 */
export function referenceEntries(bytes: Uint8Array): ReferenceEntry[] {
  const entries: Entry[] = JSON.parse(new TextDecoder().decode(bytes)).log.entries;
  return entries
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => entry?.request?.method && URL.canParse(entry.request.url))
    .sort((a, b) => startTime(a.entry) - startTime(b.entry) || a.index - b.index)
    .map(({ entry: { request, response }, index }) => ({
      index,
      method: request.method,
      url: request.url,
      status: Math.max(0, response?.status ?? 0),
    }));
}

function startTime({ startedDateTime }: Entry): number {
  return startedDateTime === undefined ? 0 : Date.parse(startedDateTime);
}
