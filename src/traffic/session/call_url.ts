import { httpOrigin } from "../har/http_origin.ts";
import { percentDecode, percentDecodedText } from "./percent_decode.ts";
import { holdsValue, RequestField, type RequestFieldKind } from "./request_field.ts";

/**
 * A recorded URL, split into replaceable parts. It has no fragment, because fragments are never sent.
 */
export interface CallUrl {
  /** Normalized scheme, host and port, without a default port. */
  readonly origin: string;
  /**
   * Scheme, host and port as recorded, without user info. `keptHeaders` converts user info to a header.
   */
  readonly prefix: string;
  /**
   * Path segments and the values of path parameters as fields, and the text between them as strings.
   */
  readonly path: readonly (string | RequestField)[];
  /** Query as fields and strings, starting with `?`. Empty if there is no query. */
  readonly query: readonly (string | RequestField)[];
}

/** Matches URLs that can be sent unchanged. Other URLs are sent as the URL standard serializes them. */
const SENDABLE = /^https?:\/\/[!-[\]-~]+$/i;
const SHAPE = /^([^/]*\/\/[^/?#]*)([^?#]*)(\?[^#]*)?/;

/** Splits an absolute http or https URL into its fields. Throws TypeError if the URL is invalid. */
export function splitUrl(url: string): CallUrl {
  const origin = httpOrigin(url);
  const [, start, path, query = ""] = SHAPE.exec(SENDABLE.test(url) ? url : new URL(url).href)!;
  const prefix = start.replace(/\/\/[^]*@/, "//");
  return { origin, prefix, path: pathPieces(path || "/"), query: queryPieces(query) };
}

function pathPieces(path: string): (string | RequestField)[] {
  return path.split("/").flatMap((segment, i) => {
    const slash = i === 0 ? [] : ["/"];
    return segment === "" ? slash : [...slash, ...segmentPieces(segment)];
  });
}

/** Splits a path segment into its text and the values of its parameters, as in `a;jsessionid=1F`. */
function segmentPieces(segment: string): (string | RequestField)[] {
  const [text, ...parameters] = segment.split(";");
  return [
    ...(text === "" ? [] : [urlField("path", "", text)]),
    ...parameters.flatMap((parameter) => {
      const equals = parameter.indexOf("=");
      if (equals < 0) return [`;${parameter}`];
      const name = parameter.slice(0, equals);
      const value = parameter.slice(equals + 1);
      const start = `;${name}=`;
      return value === ""
        ? [start]
        : [start, urlField("path", percentDecodedText(name, false), value)];
    }),
  ];
}

function queryPieces(query: string): (string | RequestField)[] {
  if (query === "") return [];
  const pieces: (string | RequestField)[] = ["?"];
  query.slice(1).split("&").forEach((pair, i) => {
    if (i > 0) pieces.push("&");
    const equals = pair.indexOf("=");
    const name = equals < 0 ? "" : pair.slice(0, equals);
    if (equals >= 0) {
      if (holdsValue(name)) pieces.push(urlField("name", "", name), "=");
      else pieces.push(`${name}=`);
    }
    pieces.push(
      urlField("query", percentDecodedText(name, true), pair.slice(equals + 1)),
    );
  });
  return pieces;
}

/**
 * Creates a field of a URL. Does not decode `+` as a space, because many tokens contain `+`, but
 * none contain spaces.
 */
function urlField(kind: RequestFieldKind, name: string, recorded: string): RequestField {
  return new RequestField(kind, name, recorded, percentDecode(recorded, false));
}

/** Returns the fields among the pieces of a URL, without the strings between them. */
export function fieldsIn(pieces: readonly (string | RequestField)[]): RequestField[] {
  return pieces.filter((piece) => piece instanceof RequestField);
}
