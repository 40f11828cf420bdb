/** JSON in which whatever is unfit for a terminal is escaped, so that a parser still reads the text. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}]/gu,
    (c) =>
      c.split("").map((unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")).join(""),
  );
}
