/**
 * Evaluates an expression of integers, strings, comparisons, `and`, `or` and `not` by running it
 * in V8 as JavaScript with BigInt numbers. Returns undefined if the expression divides by zero, or
 * if the result is a number that is longer than 100 characters.
 */
export function evaluateWithV8(source: string): unknown {
  const script = source.replace(
    /"(?:[^"\\]|\\.)*"|\b(?:and|or|not)\b|\d+|==|!=/g,
    (token) => TRANSLATIONS[token] ?? (/^\d/.test(token) ? `${token}n` : token),
  );
  try {
    const value = new Function(`return ${script}`)();
    return String(value).length > 100 && typeof value === "bigint" ? undefined : value;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const TRANSLATIONS: Readonly<Record<string, string>> = {
  and: "&&",
  or: "||",
  not: "!",
  "==": "===",
  "!=": "!==",
};
