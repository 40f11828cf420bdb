/**
 * Serializes a value as JSON and escapes characters that are unsafe in a terminal. JSON parsers
 * still read the same value.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}]/gu,
    (c) =>
      c.split("").map((unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")).join(""),
  );
}
