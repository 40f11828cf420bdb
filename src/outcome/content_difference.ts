import type { JsonPath } from "../correlation/views.ts";

/**
 * How the content of a live response differs from the recorded content:
 *
 * - `empty list`: a list or an object has no items, but had some in the recording
 * - `empty text`: a string is empty that was not empty in the recording
 * - `refusal`: a string that does not occur in the recording reads like a refusal
 * - `other`: a string or another value differs or is missing
 */
export type ContentKind = "empty list" | "empty text" | "refusal" | "other";

/** Kinds in the order in which reports list them, most important first. */
export const CONTENT_KINDS: readonly ContentKind[] = [
  "empty list",
  "empty text",
  "refusal",
  "other",
];

/**
 * A place in a response where the live content differs from the recorded content, although the
 * response has the recorded status, media type and redirect target, and is not a different page.
 * Contains recorded and live text.
 */
export interface ContentDifference {
  readonly kind: ContentKind;
  /** Place of the difference (see `Leaf`), or a header such as `header link`. */
  readonly place: string;
  /** Recorded content, or the number of items. Empty if the recording has no such content. */
  readonly recorded: string;
  /** Live content, or the number of items. Empty if the content is missing. */
  readonly live: string;
  /** Path of a list or an object in JSON. Only for the kind `empty list`. */
  readonly path?: JsonPath;
}
