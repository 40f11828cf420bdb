import { parseExactJson } from "../../base/exact_json.ts";
import type { Random } from "../../base/random.ts";
import { dynamicBy, dynamicShape } from "../../traffic/session/dynamic_value.ts";
import { mapLeaves } from "../../traffic/session/body_fields.ts";
import { parseTimestamp } from "./timestamps.ts";

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const HEX_LETTERS = /^[^g-z]*$/i;
const utf8 = new TextDecoder();

/**
 * Generates a different value of the same length. Replaces digits with digits, and letters with
 * letters of the same case. A leading digit becomes 1 to 8, so that a number stays valid in JSON
 * and in the range of a 64-bit integer. If the value contains no letters except hex digits, neither
 * does the result. A UUID keeps its version and variant. A JWT keeps its header, its timestamps and
 * the names of its claims. If `shift` is not 0, a timestamp moves that many milliseconds later
 * instead.
 */
export function freshValue(value: string, random: Random, shift = 0): string {
  const timestamp = shift === 0 ? undefined : parseTimestamp(value);
  if (timestamp !== undefined) return timestamp.write(timestamp.ms + shift);
  switch (dynamicShape(value)) {
    case "uuid":
      return reshaped(value, random, (at) => at === 14 || at === 19);
    case "jwt":
      return freshJwt(value, random);
    default:
      return reshaped(value, random, () => false);
  }
}

function reshaped(value: string, random: Random, kept: (at: number) => boolean): string {
  const letters = HEX_LETTERS.test(value) ? LOWER.slice(0, 6) : LOWER;
  return [...value].map((character, at) => {
    if (kept(at)) return character;
    if (DIGITS.includes(character)) return String(random.int(at === 0 ? 1 : 0, at === 0 ? 8 : 9));
    const lower = character.toLowerCase();
    if (!LOWER.includes(lower)) return character;
    const letter = letters[random.int(0, letters.length - 1)];
    return lower === character ? letter : letter.toUpperCase();
  }).join("");
}

function freshJwt(jwt: string, random: Random): string {
  const [header, payload, signature] = jwt.split(".");
  return [header, freshClaims(payload, random), reshaped(signature, random, () => false)].join(".");
}

/** Regenerates the claims of a JWT that look generated. Keeps timestamps. */
function freshClaims(payload: string, random: Random): string {
  try {
    const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url" });
    const claims = mapLeaves(
      parseExactJson(utf8.decode(bytes)),
      (leaf, key) =>
        typeof leaf === "string" && dynamicBy(key, leaf)
          ? reshaped(leaf, random, () => false)
          : leaf,
    );
    return new TextEncoder().encode(JSON.stringify(claims))
      .toBase64({ alphabet: "base64url", omitPadding: true });
  } catch {
    return reshaped(payload, random, () => false);
  }
}
