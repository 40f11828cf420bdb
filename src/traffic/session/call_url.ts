import {
  decodePercent,
  type Encoding,
  splitParameters,
  undo,
  type Unescaped,
} from "../../base/string_escapes.ts";
import { httpOrigin } from "../har/origins.ts";
import { FieldNames } from "./body_fields.ts";
import {
  type FieldPart,
  holdsValue,
  RequestField,
  type RequestFieldKind,
} from "./request_field.ts";

/** A recorded URL, split into replaceable parts, without its fragment. */
export interface CallUrl {
  /** Normalized scheme, host and port, without a default port. */
  readonly origin: string;
  /** The origin as recorded, without user info, which `keptHeaders` converts to a header. */
  readonly prefix: string;
  /** Segments and values of path parameters as fields, and the text between them. */
  readonly path: readonly (string | RequestField)[];
  readonly query: readonly (string | RequestField)[];
}

/** Matches URLs without segments of dots that browsers send unchanged. */
const SENDABLE = /^https?:\/\/(?!\/)[!#-&(-;=?-[\]^_a-z|~]+$/i;
const DOTS = /\/(?:\.|%2e)/i;

type Pieces = (string | RequestField)[];

/** Splits an absolute http or https URL into fields. Throws TypeError if the URL is invalid. */
export function splitUrl(url: string): CallUrl {
  const text = SENDABLE.test(url) && !DOTS.test(url) ? url : new URL(url).href;
  const end = offsetOf(text, "#", 0, text.length);
  const query = offsetOf(text, "?", 0, end);
  const path = offsetOf(text, "/", text.indexOf("//") + 2, query);
  const site = text.slice(0, path);
  return {
    origin: httpOrigin(site),
    prefix: site.replace(/\/\/[^]*@/, "//"),
    path: pathPieces(path === query ? "/" : text.slice(path, query)),
    query: query === end ? [] : queryPieces(text.slice(query + 1, end)),
  };
}

function pathPieces(path: string): Pieces {
  return path.slice(1).split("/").flatMap((segment) => ["/", ...segmentPieces(segment)]);
}

function segmentPieces(segment: string): Pieces {
  const [text, ...parameters] = segment.split(";");
  return [
    ...(text === "" ? [] : [urlField("path", "", text)]),
    ...parameters.flatMap((parameter) => {
      const equals = parameter.indexOf("=");
      const value = parameter.slice(equals + 1);
      if (equals < 0 || value === "") return [`;${parameter}`];
      const name = percentDecodedText(parameter.slice(0, equals), false);
      return [`;${parameter.slice(0, equals)}=`, urlField("path", name, value)];
    }),
  ];
}

function queryPieces(query: string): Pieces {
  const names = new FieldNames();
  return splitParameters(query).flatMap(([separator, pair]) => {
    const equals = pair.indexOf("=");
    const recorded = pair.slice(0, Math.max(equals, 0));
    const value = urlField("query", percentDecodedText(recorded, true), pair.slice(equals + 1));
    names.add(value);
    const delimiter = separator || "?";
    if (equals < 0) return [delimiter, value];
    return holdsValue(recorded)
      ? [
        delimiter,
        encodedField("name", "", recorded, false, (name) => names.partsOf(name)),
        "=",
        value,
      ]
      : [delimiter, `${recorded}=`, value];
  });
}

function offsetOf(text: string, character: string, from: number, to: number): number {
  const at = text.indexOf(character, from);
  return at < 0 || at > to ? to : at;
}

/** Does not decode `+` as a space, because many tokens contain `+`, but none contain spaces. */
function urlField(kind: RequestFieldKind, name: string, recorded: string): RequestField {
  return encodedField(kind, name, recorded, false);
}

/** A field in a URL whose recorded text is percent-encoded. */
class DecodedField extends RequestField {
  readonly #offsets: readonly number[];

  constructor(
    kind: RequestFieldKind,
    name: string,
    recorded: string,
    decoded: Unescaped,
    parts?: () => readonly FieldPart[],
  ) {
    super(kind, name, recorded, decoded.value, parts);
    this.#offsets = decoded.offsets;
  }

  override recordedRange(start: number, end: number): [start: number, end: number] {
    return [this.#offsets[start], this.#offsets[end]];
  }
}

/** Decodes `+` as a space if `plus`. `partsOf` returns the parts of the decoded text. */
export function encodedField(
  kind: RequestFieldKind,
  name: string,
  recorded: string,
  plus: boolean,
  partsOf?: (text: string) => readonly FieldPart[],
): RequestField {
  const decoded = percentDecode(recorded, plus);
  const parts = partsOf && (() => partsOf(decoded?.value ?? recorded));
  return decoded === undefined
    ? new RequestField(kind, name, recorded, recorded, parts)
    : new DecodedField(kind, name, recorded, decoded, parts);
}

/** Returns the fields among the pieces of a URL. */
export function fieldsIn(pieces: readonly (string | RequestField)[]): RequestField[] {
  return pieces.filter((piece) => piece instanceof RequestField);
}

/** Encoded characters of a URL: of one to four bytes of UTF-8. Keeps invalid ones. */
export const IN_URL: Encoding = {
  pattern:
    /%[0-7][\da-f]|%[cd][\da-f]%[\da-f]{2}|%e[\da-f](?:%[\da-f]{2}){2}|%f[\da-f](?:%[\da-f]{2}){3}/gi,
  decode: ([character]) => decodePercent(character) ?? character,
};
/** Encoded characters of a form, in which `+` is a space. */
const IN_FORM: Encoding = {
  pattern: new RegExp(`\\+|${IN_URL.pattern.source}`, "gi"),
  decode: (match) => match[0] === "+" ? " " : IN_URL.decode(match),
};

/** Decodes `+` as a space if `plus`. Undefined for invalid text, or with nothing to decode. */
export function percentDecode(text: string, plus: boolean): Unescaped | undefined {
  const isEncoded = text.includes("%");
  if (!isEncoded && !(plus && text.includes("+"))) return undefined;
  if (isEncoded && decodePercent(text) === undefined) return undefined;
  return undo(text, plus ? IN_FORM : IN_URL);
}

/** Decodes `+` as a space if `plus`. Returns invalid text unchanged. */
export function percentDecodedText(text: string, plus: boolean): string {
  const spaced = plus ? text.replaceAll("+", " ") : text;
  if (!text.includes("%")) return spaced;
  return decodePercent(spaced) ?? text;
}
