import type { Exchange } from "./exchange.ts";
import type { FilePlace } from "./file_place.ts";

/** An entry that could not be used, with the reason. */
export interface SkippedEntry {
  /** Index among the entries of the file, from 0. */
  readonly index: number;
  /** Start of the entry. */
  readonly place: FilePlace;
  /** Reason, such as `request.url is missing`; may contain recorded text. */
  readonly reason: string;
}

/** The content of a HAR. */
export interface Recording {
  /** Calls in order of their start times; equal times in file order. */
  readonly exchanges: readonly Exchange[];
  /** Skipped entries in file order. */
  readonly skipped: readonly SkippedEntry[];
  /** Maps page ids to titles; to the id if a page has no title. */
  readonly pages: ReadonlyMap<string, string>;
  /** Name and version of the program that wrote the file; empty if unknown. */
  readonly creator: string;
  /** Name and version of the browser; empty if unknown. */
  readonly browser: string;
  /** Whether any call has a cookie or an `Authorization` header; sanitized exports have none. */
  readonly hasCredentials: boolean;
  /** Whether any response has the text of its body. */
  readonly hasBodies: boolean;
}
