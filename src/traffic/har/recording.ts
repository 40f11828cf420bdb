import type { Exchange } from "./exchange.ts";
import type { FilePlace } from "./file_place.ts";

/** An entry that could not be used, and why. */
export interface SkippedEntry {
  /** Place among the file's entries, from 0. */
  readonly index: number;
  /** Where the entry starts. */
  readonly place: FilePlace;
  /** Such as `request.url is missing`; may hold recorded text. */
  readonly reason: string;
}

/** What a HAR records. */
export interface Recording {
  /** In the order in which they started; those that started together, in file order. */
  readonly exchanges: readonly Exchange[];
  /** In file order. */
  readonly skipped: readonly SkippedEntry[];
  /** Titles of the pages by their id; the id where a page has no title. */
  readonly pages: ReadonlyMap<string, string>;
  /** Name and version of what wrote the file; empty when not stated. */
  readonly creator: string;
  /** The same of the browser. */
  readonly browser: string;
  /** Whether any request or response carries a cookie or an Authorization: sanitized exports do not. */
  readonly hasCredentials: boolean;
  /** Whether any response holds the text of its body. */
  readonly hasBodies: boolean;
}
