/**
 * Description of a source: a kind of response content in which `convert` finds values that requests
 * send. The help, completions, warnings and docs/correlation.md are generated from these
 * descriptions. This module does not import the code that searches responses, because generating
 * this text does not require it.
 */
export interface SourceDescription {
  /** Where in responses the values are found, as Markdown text for docs/correlation.md. */
  readonly finds: string;
  /** How a plan extracts the values, in Markdown, for docs/correlation.md. */
  readonly extractor: string;
  /**
   * Where a value occurs, for the warning that suggests the source. Continues a sentence whose
   * subject is the value.
   */
  readonly occurrence: string;
}

/** Names of the sources that `--correlate` can exclude, in the order of the documentation. */
export const OPTIONAL_SOURCES = ["html", "header", "cookie", "encoded"] as const;

/** A source that `--correlate` can exclude. */
export type OptionalSource = typeof OPTIONAL_SOURCES[number];

/** Kind of response content from which a value is extracted. JSON bodies are always searched. */
export type SourceKind = "json" | OptionalSource;

/** Descriptions of the sources that `--correlate` can exclude. */
export const SOURCE_KINDS: Readonly<Record<OptionalSource, SourceDescription>> = {
  html: {
    finds:
      "form inputs and their names, default options of `<select>` elements, and meta tags; script text, links and any other text, also within JSON strings",
    extractor: "`css` for inputs, options and meta tags, otherwise `boundary` or `regex`",
    occurrence: "occurs only in a page or in other text",
  },
  header: {
    finds: "response headers; path and parameters of a `Location`",
    extractor: "`header`, with an `expression`",
    occurrence: "occurs only in a response header",
  },
  cookie: {
    finds: "cookies that a script copies into a request (double submit)",
    extractor: "`cookie`",
    occurrence: "is copied from a cookie",
  },
  encoded: {
    finds: "JSON responses, if requests send the values percent-encoded, in base64 or unescaped",
    extractor:
      "`jsonpath`, with a `transform`, or with `${url_encode(…)}` or `${base64(…)}` in the request",
    occurrence: "is encoded differently in its response",
  },
};

/**
 * Describes where a value occurs, as a clause whose subject is the value. `source` is the source
 * that finds the value, and `type` the type of its extractor.
 */
export function describeOccurrence(
  source: OptionalSource,
  { type }: { readonly type: string },
): string {
  // As a whole JSON value, it has the source `html` only because it does not look dynamic.
  return source === "html" && type === "jsonpath"
    ? "is a member of a JSON response (it does not look like a token or an id)"
    : SOURCE_KINDS[source].occurrence;
}
