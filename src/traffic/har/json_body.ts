/** Objects and lists within each other beyond this are not walked: the text is kept as text. */
const DEEPEST = 200;

/**
 * The value of a JSON body that can be taken apart and written again without changing what it says;
 * undefined for anything else: text that is not JSON, nested too deep, or with a number that a double
 * does not hold.
 */
export function jsonBody(text: string): { readonly value: unknown } | undefined {
  if (depth(text) > DEEPEST) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return keepsItsNumbers(text) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** An upper bound: brackets in strings count. */
function depth(text: string): number {
  let [open, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}

/** Only numbers of 16 digits or more, or with an exponent, can lose anything. */
function keepsItsNumbers(text: string): boolean {
  if (!/\d[\d.]{15}|\d[eE]/.test(text)) return true;
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)]
    .every(([token]) => token[0] === '"' || digits(token) === digits(String(Number(token))));
}

/** The significant digits of a number's text. */
function digits(number: string): string {
  return number.replace(/[eE].*|[-.]/g, "").replace(/^0+|0+$/g, "");
}
