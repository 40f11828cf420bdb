import { listPieces, Mixed, type Text, Value } from "./value.ts";

/** JSON that may hold values, and texts that do. */
export type Json = null | boolean | number | string | Value | Mixed | readonly Json[] | {
  readonly [name: string]: Json;
};

/** A value, and where it stands. */
export interface Placed {
  readonly value: Value;
  readonly where: string;
  /** It is all that stands there. */
  readonly whole: boolean;
}

/** The JSON as it is recorded. */
export function plainJson(json: Json): unknown {
  if (json instanceof Value) return json.json;
  if (json instanceof Mixed) {
    return json.pieces.map((p) => p instanceof Value ? p.text : p).join("");
  }
  if (Array.isArray(json)) return json.map(plainJson);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [name, plainJson(item)]));
}

/** Each value in the JSON with its RFC 9535 path, in document order. */
export function inJson(json: Json, path = "$"): Placed[] {
  if (json instanceof Value || json instanceof Mixed) return inText(json, path);
  if (Array.isArray(json)) return json.flatMap((item, i) => inJson(item, `${path}[${i}]`));
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([name, item]) => inJson(item, path + pathSegment(name)));
}

/** A member name as a step of a JSONPath, in single quotes unless it is a plain name. */
export function pathSegment(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `.${name}`;
  return `['${name.replace(/['\\]/g, "\\$&")}']`;
}

/** Each value in the text. */
export function inText(text: Text, where: string): Placed[] {
  return listPieces(text).filter((piece) => piece instanceof Value)
    .map((value) => ({ value, where, whole: value === text }));
}

/** Each value in a URL: in its path, or in a query parameter. */
export function inUrl(url: Text): Placed[] {
  let before = "";
  return listPieces(url).flatMap((piece) => {
    if (!(piece instanceof Value)) {
      before += piece;
      return [];
    }
    const name = /[?&]([^=&]*)=[^&]*$/.exec(before)?.[1];
    before += piece.text;
    return inText(piece, name === undefined ? "path" : `query:${name}`);
  });
}
