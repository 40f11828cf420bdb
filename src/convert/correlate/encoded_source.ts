import type { Transform } from "../../plan/schema/extract.ts";
import type { Candidate } from "./candidate.ts";
import type { Sent } from "./sent.ts";

const ENTITY = /&(?:#(\d+)|#[xX]([0-9a-fA-F]+)|(amp|lt|gt|quot|apos));/g;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const BASE64 = /^[A-Za-z0-9+/]{8,}={0,2}$/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Each transform as the engine does it; undefined when it does not apply to the value. */
const TRANSFORMS: readonly (readonly [Transform, (value: string) => string | undefined])[] = [
  ["url_encode", attempt(encodeURIComponent)],
  ["url_decode", (value) => value.includes("%") ? attempt(decodeURIComponent)(value) : undefined],
  ["html_decode", (value) => value.includes("&") ? htmlDecode(value) : undefined],
  ["base64_encode", base64Encode],
  ["base64_decode", (value) => BASE64.test(value) ? attempt(base64Decode)(value) : undefined],
];

/** The candidate in every other encoding in which a request sends it. */
export function encodedCandidates(candidate: Candidate, sent: Sent): Candidate[] {
  if (candidate.value.length < 6) return [];
  return TRANSFORMS.flatMap(([transform, apply]) => {
    const value = apply(candidate.value);
    if (value === undefined || value === candidate.value || !sent.sought.has(value)) return [];
    const locate = () => ({ ...candidate.locate(), transform: [transform] });
    return [{ ...candidate, value, source: "encoded", numeric: false, locate }];
  });
}

function attempt(encode: (value: string) => string): (value: string) => string | undefined {
  return (value) => {
    try {
      return encode(value);
    } catch {
      return undefined;
    }
  };
}

function base64Encode(value: string): string {
  if (/^\p{ASCII}*$/u.test(value)) return btoa(value);
  return btoa(Array.from(new TextEncoder().encode(value), (b) => String.fromCharCode(b)).join(""));
}

function base64Decode(value: string): string {
  return utf8.decode(Uint8Array.from(atob(value), (c) => c.charCodeAt(0)));
}

function htmlDecode(value: string): string {
  return value.replace(ENTITY, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name];
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
