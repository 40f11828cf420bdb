/** Tags by name, with values as written in a plan. */
export type WrittenTags = Readonly<Record<string, unknown>>;

/**
 * Name of the tag that `convert` adds to a request to identify its recorded entry. The value is the
 * number of the entry in `log.entries` of the HAR, from 1. Samples do not get this tag, so metrics,
 * outputs and summaries do not contain it.
 */
export const RECORDED_TAG = "recorded";

/**
 * Returns the number of the HAR entry (from 1) that a request replays, according to its tag
 * `recorded`. Returns undefined if the request has no such tag, or if the tag is not a whole number
 * of at least 1.
 */
export function recordedEntry(
  { tags }: { readonly tags?: WrittenTags },
): number | undefined {
  const value = tags?.[RECORDED_TAG];
  return value !== undefined && isEntryNumber(value) ? Number(String(value)) : undefined;
}

/** Reports whether the value of a tag is the number of an entry: a whole number of at least 1. */
export function isEntryNumber(value: unknown): boolean {
  return /^[1-9]\d{0,14}$/.test(String(value));
}

/** Returns the tags that samples of a request get: all tags except `recorded`. */
export function sampleTags<Tags extends WrittenTags>(tags: Tags): Omit<Tags, typeof RECORDED_TAG> {
  const { [RECORDED_TAG]: _entry, ...rest } = tags;
  return rest;
}
