import type { Exchange } from "./exchange.ts";
import type { FilePlace } from "./file_place.ts";

/** An entry of a HAR file that could not be used, with the reason. */
export interface SkippedEntry {
  /** Index of the entry in the file, from 0. */
  readonly index: number;
  /** Position of the start of the entry in the file. */
  readonly place: FilePlace;
  /** Reason why the entry was skipped, such as `request.url is missing`. May contain recorded text. */
  readonly reason: string;
}

/** The content of a HAR file. */
export interface Recording {
  /**
   * Recorded calls in the order of their start times. Calls with equal start times are in file order.
   */
  readonly exchanges: readonly Exchange[];
  /** Entries that could not be used, in file order. */
  readonly skipped: readonly SkippedEntry[];
  /** Title of each page by page id; the id itself if the page has no title. */
  readonly pages: ReadonlyMap<string, string>;
  /** Name and version of the program that wrote the file; empty if unknown. */
  readonly creator: string;
  /** Name and version of the browser; empty if unknown. */
  readonly browser: string;
  /** True if any call has a cookie or an `Authorization` header. Sanitized recordings have neither. */
  readonly hasCredentials: boolean;
  /** True if the recording contains the text of any response body, except those of static assets. */
  readonly hasBodies: boolean;
}
