import type { TemplatePart } from "../../plan/template.ts";
import { percentDecode } from "./percent_decode.ts";
import { RequestField, type RequestFieldKind } from "./request_field.ts";

/** A recorded URL, cut where its parts can be replaced. Fragments are left out: they are never sent. */
export interface DraftUrl {
  /** Scheme, host and port in their normal form. */
  readonly origin: string;
  /** The same as recorded, without user info: `keptHeaders` sends that in a header. */
  readonly prefix: string;
  /** Path segments and the `/` between them. */
  readonly path: readonly (string | RequestField)[];
  /** From the `?` on; empty without one. */
  readonly query: readonly (string | RequestField)[];
}

/** What can be sent as it stands; anything else is sent as the URL standard writes it. */
const SENDABLE = /^https?:\/\/[!-[\]-~]+$/i;
const SHAPE = /^([^/]*\/\/[^/?#]*)([^?#]*)(\?[^#]*)?/;

/** Cuts an absolute http(s) URL into its slots. Throws `TypeError` when it is none. */
export function draftUrl(url: string): DraftUrl {
  const { origin, href } = new URL(url);
  const [, start, path, query = ""] = SHAPE.exec(SENDABLE.test(url) ? url : href)!;
  const prefix = start.replace(/\/\/[^]*@/, "//");
  return { origin, prefix, path: pathPieces(path || "/"), query: queryPieces(query) };
}

function pathPieces(path: string): (string | RequestField)[] {
  return path.split("/").flatMap((segment, i) => {
    const slash = i === 0 ? [] : ["/"];
    return segment === "" ? slash : [...slash, urlSlot("path", "", segment)];
  });
}

function queryPieces(query: string): (string | RequestField)[] {
  if (query === "") return [];
  const pieces: (string | RequestField)[] = ["?"];
  query.slice(1).split("&").forEach((pair, i) => {
    if (i > 0) pieces.push("&");
    const equals = pair.indexOf("=");
    if (equals >= 0) pieces.push(pair.slice(0, equals + 1));
    const name = equals < 0 ? "" : pair.slice(0, equals);
    pieces.push(urlSlot("query", percentDecode(name, true)?.value ?? name, pair.slice(equals + 1)));
  });
  return pieces;
}

/** `+` stays: no token holds the space that it may stand for, and many hold a `+`. */
function urlSlot(kind: RequestFieldKind, name: string, recorded: string): RequestField {
  return new RequestField(kind, name, recorded, percentDecode(recorded, false));
}

/** Pieces as template parts. */
export function urlParts(pieces: readonly (string | RequestField)[]): TemplatePart[] {
  return pieces.flatMap((piece): TemplatePart[] =>
    typeof piece === "string" ? [{ kind: "text", text: piece }] : piece.parts()
  );
}

/** The slots among pieces. */
export function fieldsIn(pieces: readonly (string | RequestField)[]): RequestField[] {
  return pieces.filter((piece) => piece instanceof RequestField);
}
