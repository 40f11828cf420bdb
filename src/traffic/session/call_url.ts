import { httpOrigin } from "../har/http_origin.ts";
import { percentDecode, percentDecodedText } from "./percent_decode.ts";
import { holdsValue, RequestField, type RequestFieldKind } from "./request_field.ts";

/**
 * A recorded URL, split into replaceable parts. It has no fragment, because fragments are never
 * sent.
 */
export interface CallUrl {
  /** Normalized scheme, host and port, without a default port. */
  readonly origin: string;
  /**
   * Scheme, host and port as written in the recording, without user info. `keptHeaders` converts
   * user info to a header.
   */
  readonly prefix: string;
  /**
   * Path segments and the values of path parameters as fields, and the text between them as
   * strings.
   */
  readonly path: readonly (string | RequestField)[];
  /** Query as fields and strings, starting with `?`. Empty if there is no query. */
  readonly query: readonly (string | RequestField)[];
}

/**
 * Matches URLs that can be sent unchanged. Other URLs are sent as the URL standard serializes them.
 */
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
  const pieces: (string | RequestField)[] = [];
  path.split("/").forEach((segment, i) => {
    if (i > 0) pieces.push("/");
    if (segment !== "") addSegment(pieces, segment);
  });
  return pieces;
}

/**
 * Appends the text of a path segment and the values of its parameters, as in `a;jsessionid=1F`, to
 * `pieces`.
 */
function addSegment(pieces: (string | RequestField)[], segment: string): void {
  if (!segment.includes(";")) {
    pieces.push(urlField("path", "", segment));
    return;
  }
  const [text, ...parameters] = segment.split(";");
  if (text !== "") pieces.push(urlField("path", "", text));
  for (const parameter of parameters) {
    const equals = parameter.indexOf("=");
    if (equals < 0) {
      pieces.push(`;${parameter}`);
      continue;
    }
    const name = parameter.slice(0, equals);
    const value = parameter.slice(equals + 1);
    pieces.push(`;${name}=`);
    if (value !== "") pieces.push(urlField("path", percentDecodedText(name, false), value));
  }
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
