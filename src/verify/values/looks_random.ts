/**
 * Maximum length, in characters, of a run of letters and digits that may look random. Longer runs
 * are assumed to be encoded documents.
 */
const LONGEST = 8_192;

const HEX = /^[0-9a-f]+$/i;
const SWITCH = /(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/g;
const CASE_SWITCH = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])/g;
const CAMEL_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const VOWEL = /[aeiouy]/i;
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6}/i;

/**
 * Reports whether a run of ASCII letters and digits looks generated rather than written by a
 * person. `digits` is the number of digits in it. Runs that consist only of digits do not look
 * random.
 */
export function looksRandom(run: string, digits: number): boolean {
  const { length } = run;
  if (length < 5 || length > LONGEST || digits === length) return false;
  return digits === 0 ? areRandomLetters(run) : isRandomMix(run, digits);
}

/** Reports whether a run of letters and digits looks random, unlike `chapter12` and `iso8859`. */
function isRandomMix(run: string, digits: number): boolean {
  const { length } = run;
  const switches = count(run, SWITCH);
  if (switches >= 3) return true;
  if (length < 8) return false;
  if (HEX.test(run) && digits >= 2 && length - digits >= 2) return true;
  if (length >= 12 && switches === 2 && digits >= 2) return true;
  const cases = count(run, CASE_SWITCH);
  if (cases >= 3 && (switches === 2 || cases * 3 >= length)) return true;
  return countOddWords(run.match(CAMEL_WORD) ?? []) >= 2;
}

/** Reports whether a run of letters looks random, unlike words and camelCase names. */
function areRandomLetters(run: string): boolean {
  const { length } = run;
  if (length >= 8 && count(run, CASE_SWITCH) * 2 >= length) return true;
  if (length < 10) return false;
  const words = run.match(CAMEL_WORD) ?? [];
  if (HEX.test(run) || words.some((word) => CONSONANTS.test(word))) return true;
  const odd = countOddWords(words);
  return odd >= 3 && odd * 2 >= words.length;
}

/** Counts the unpronounceable words: single letters, and words without vowels. */
function countOddWords(words: readonly string[]): number {
  return words.filter((word) => word.length === 1 || !VOWEL.test(word)).length;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found++;
  return found;
}
