import type { NamelessExtractor } from "../../../extract/extractors.ts";
import type { Transform } from "../../../plan/kinds/extractors.ts";
import type { DynamicBy } from "../../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import type { RequestValues } from "./request_values.ts";
import type { ValueIndex } from "../../../traffic/session/value_index.ts";
import type { TypedNames } from "./typed_names.ts";
import type { Source } from "./source_kinds.ts";

/** A recorded response to search. */
export interface SearchedResponse {
  readonly call: RecordedCall;
  /** Text of the body, or undefined if it was not recorded. */
  readonly text: string | undefined;
  /** Parsed body, or undefined if it is not JSON. */
  readonly json: unknown;
}

/** A value that requests send, and the transform that produces it from a value in a response. */
export interface Encoding {
  readonly transform: Transform;
  readonly value: string;
}

/** Finds the encoded or decoded forms in which requests send a value of a response. */
export interface Encodings {
  /** Reports whether requests send a value in such a form. */
  has(source: string): boolean;
  /** Returns the forms in which requests send a value. */
  get(source: string): readonly Encoding[];
}

/** Values that requests send. Responses are searched for these values. */
export interface WantedValues {
  readonly sent: RequestValues;
  /** Index of the values in `sent.sought`. */
  readonly sought: ValueIndex;
  readonly encodings: Encodings;
  /** Strings that can identify an element of a list, such as a title that the user typed. */
  readonly typed: TypedNames;
  /**
   * Reports whether a request may contain the value in any encoding. May return false positives,
   * never false negatives.
   */
  mayBeSent(value: string): boolean;
}

/** Receives the values that a search finds. */
export interface FoundValues {
  /** Adds a candidate. */
  add(candidate: Candidate): void;
  /**
   * Records that the inputs and meta tags in a call's response were not read, because the page
   * exceeds a markup limit.
   */
  unreadMarkup(call: RecordedCall): void;
}

/** Searches responses for the values of one source. */
export interface SourceSearch {
  /**
   * True if the body contains the values as text. For such a source, a `boundary` or `regex`
   * extractor is tried if the source's own extractor does not return the value.
   */
  readonly inBody: boolean;
  /** Finds the values that `wanted` describes in a response, and passes them to `found`. */
  search(response: SearchedResponse, wanted: WantedValues, found: FoundValues): void;
}

/** An extractor that has no variable name yet. */
export type Located = NamelessExtractor;

/** A dynamic-looking value in a response. */
export interface Candidate {
  /** The value, encoded as requests send it. */
  readonly value: string;
  /**
   * Name of the member, header, cookie or field that contains the value. Empty if it has no name.
   */
  readonly key: string;
  readonly source: Source;
  /**
   * Reason why the value looks dynamic. `use` if the only reason is that a request sends it, and
   * `link` if the only reason is that a request uses a link in the response. `option` if a browser
   * sends the value by default, as the selected option of the `<select>` with the name `key`. `field
   * name` if the value is in the name of a form field, after the text `key`. `argument` if a script
   * passes the value to a method. `neighbour` if requests send the short number in the same base64
   * as the value `neighbour`. `rpc` if the value is a short id in the result of a JSON-RPC request.
   * `quoted` if the value is a short generated id between quotes, in text that is not JSON.
   */
  readonly by:
    | DynamicBy
    | "use"
    | "link"
    | "option"
    | "field name"
    | "argument"
    | "neighbour"
    | "rpc"
    | "quoted";
  /** Set if `by` is `neighbour`: a generated value in the same object or list of the response. */
  readonly neighbour?: string;
  /** True if the extractor returns a number instead of a string. */
  readonly numeric: boolean;
  /**
   * In a link, the path segment or the parameter name before the value. For an id in the result of
   * a JSON-RPC request, the name of the resource or the list to which the id belongs.
   */
  readonly collection?: string;
  /**
   * Reports whether the request of `producer`, or one before it, passed the same number to a
   * JSON-RPC method. `method` is the name of the resource, a space, and the name of the method. Set
   * if `by` is `rpc`.
   */
  readonly hasOtherMethod?: (method: string) => boolean;
  /** The call whose response contains the value. */
  readonly producer: RecordedCall;
  /**
   * The next call whose response contains the value, so that later requests take the value from it.
   * Set only if `by` is `quoted`.
   */
  readonly replacedBy?: RecordedCall | undefined;
  /** The extractor that reads the value from the response. */
  readonly located: Located;
}
