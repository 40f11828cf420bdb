/** Functions that encode a value, one for each form in which a response can contain it. */
const ENCODINGS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => value.replaceAll("/", "\\/"),
  (value) => encodeURIComponent(value.toWellFormed()),
  (value) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;"),
];

/**
 * Returns the distinct forms in which a response may contain a value: plain, escaped or encoded.
 */
export function writtenForms(value: string): Set<string> {
  return new Set(ENCODINGS.map((write) => write(value)));
}
