/** What any reader must find in a HAR, by the most obvious way: the whole text parsed at once. */
export interface ReferenceEntry {
  readonly index: number;
  readonly method: string;
  readonly url: string;
  readonly status: number;
}

// deno-lint-ignore no-explicit-any -- a HAR as it comes
type Entry = any;

/** The entries that name a method and an absolute URL, in the order in which they started. */
export function referenceEntries(bytes: Uint8Array): ReferenceEntry[] {
  const entries: Entry[] = JSON.parse(new TextDecoder().decode(bytes)).log.entries;
  return entries
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => entry?.request?.method && URL.canParse(entry.request.url))
    .sort((a, b) => started(a.entry) - started(b.entry) || a.index - b.index)
    .map(({ entry: { request, response }, index }) => ({
      index,
      method: request.method,
      url: request.url,
      status: Math.max(0, response?.status ?? 0),
    }));
}

function started({ startedDateTime }: Entry): number {
  return startedDateTime === undefined ? 0 : Date.parse(startedDateTime);
}
