import { listPieces, Mixed, type Text, Value } from "./value.ts";

/** JSON that may contain labelled values. */
export type Json = null | boolean | number | string | Value | Mixed | readonly Json[] | {
  readonly [name: string]: Json;
};

/** A labelled value and its position in a request or response. */
export interface Placed {
  readonly value: Value;
  readonly where: string;
  /**
   * True if the string or number at this position is exactly the value. False if the value is only
   * a part of it.
   */
  readonly whole: boolean;
}

/**
 * Converts `json` to plain JSON by replacing each labelled value, alone or within a string, with
 * its content.
 */
export function plainJson(json: Json): unknown {
  if (json instanceof Value) return json.json;
  if (json instanceof Mixed) {
    return json.pieces.map((p) => p instanceof Value ? p.text : p).join("");
  }
  if (Array.isArray(json)) return json.map(plainJson);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [name, plainJson(item)]));
}

/** Returns the labelled values in the JSON with their JSONPaths (RFC 9535), in document order. */
export function inJson(json: Json, path = "$"): Placed[] {
  if (json instanceof Value || json instanceof Mixed) return inText(json, path);
  if (Array.isArray(json)) return json.flatMap((item, i) => inJson(item, `${path}[${i}]`));
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([name, item]) => inJson(item, path + pathSegment(name)));
}

/** Formats a member name as a JSONPath segment, in single quotes unless it is a plain name. */
export function pathSegment(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `.${name}`;
  return `['${name.replace(/['\\]/g, "\\$&")}']`;
}

/** Returns the labelled values in a string. `where` is the position of the string. */
export function inText(text: Text, where: string): Placed[] {
  return listPieces(text).filter((piece) => piece instanceof Value)
    .map((value) => ({ value, where, whole: value === text }));
}

/** Returns the labelled values in the path and the query parameters of a URL. */
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
