import { type Encoding, ENTITIES, ESCAPES, undo } from "./string_escapes.ts";

/** Replaces each secret with asterisks. */
export type Redactor = (text: string) => string;

const HIDDEN = "********";

/** Minimum size of secrets that are found within base64 and hex, which often match other text. */
const SHORTEST_ENCODED = 4;

const MAX_DEPTH = 2;

/** Maximum number of decoded texts that are searched for one text. */
const MAX_VIEWS = 200;

/** Hides secrets, also escaped as in URLs, JSON or HTML, and from 4 bytes in hex and base64. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const find = secretFinder(secrets);
  return (text) => {
    let [shown, done] = ["", 0];
    for (const { start, end } of find(text)) {
      shown += text.slice(done, start) + HIDDEN;
      done = end;
    }
    return shown + text.slice(done);
  };
}

/** Offsets are in UTF-16 code units. */
export interface FoundSecret {
  readonly secret: string;
  readonly start: number;
  readonly end: number;
}

/** Creates a function that finds secrets as `createRedactor` does, in ascending ranges. */
export function secretFinder(secrets: Iterable<string>): (text: string) => FoundSecret[] {
  const secretOf = new Map<string, string>();
  const forms: string[] = [];
  for (const secret of secrets) {
    for (const value of new Set([secret, secret.trim()].map((text) => text.toWellFormed()))) {
      if (value.trim() === "") continue;
      for (const form of byteForms(value)) {
        forms.push(form);
        secretOf.set(simple(form), secret);
      }
    }
  }
  if (forms.length === 0) return () => [];
  forms.sort((a, b) => b.length - a.length);
  const any = anyOf(forms);
  const long = anyOf(forms.filter((form) => form.length >= SHORTEST_ENCODED));
  const formsIn = (view: string, isGuess: boolean) =>
    Array.from(
      view.matchAll(isGuess ? long : any),
      ({ 0: form, index }) => ({ form, start: index, end: index + form.length }),
    );
  return (text) =>
    findDecoded(text, ENCODINGS, formsIn).map(({ form, start, end }) => (
      { secret: secretOf.get(simple(form)) ?? "", start, end }
    ));
}

function simple(form: string): string {
  return form.toLowerCase().replaceAll(/[+\xa0]/g, " ");
}

/** Returns a secret, and its bytes as a reader of the wrong one of UTF-8 and Latin-1 sees them. */
function byteForms(secret: string): string[] {
  const utf8 = latin1Text(new TextEncoder().encode(secret));
  if (/[^\0-\xff]/.test(secret)) return [secret, utf8];
  const latin1 = Uint8Array.from(secret, (character) => character.charCodeAt(0));
  return [...new Set([secret, utf8, new TextDecoder().decode(latin1)])];
}

function latin1Text(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function anyOf(forms: readonly string[]): RegExp {
  const escaped = forms.map((form) => RegExp.escape(form).replaceAll("\\x20", "[ +\\xa0]"));
  return new RegExp(escaped.join("|") || "(?!)", "gi");
}

interface View {
  readonly text: string;
  readonly of?: readonly [View, Encoding];
  /** True if base64 or hex was decoded, which most words can be. */
  readonly isGuess: boolean;
}

/** Searches `text` and what encodings hide. Returns ranges of `text`, ascending and separate. */
export function findDecoded<T extends { readonly start: number; readonly end: number }>(
  text: string,
  encodings: readonly Encoding[],
  find: (text: string, isGuess: boolean) => T[],
  maxDepth = MAX_DEPTH,
): T[] {
  const found = views(text, encodings, maxDepth).flatMap((view) => {
    let inView = find(view.text, view.isGuess);
    for (let { of } = view; of !== undefined && inView.length > 0; of = of[0].of) {
      const { offsets } = undo(of[0].text, of[1]);
      inView = inView.map((range) => ({
        ...range,
        start: Math.floor(offsets[range.start]),
        end: Math.ceil(offsets[range.end]),
      }));
    }
    return inView;
  }).sort((a, b) => a.start - b.start);
  const joined: T[] = [];
  for (const range of found) {
    const last = joined.at(-1);
    if (last === undefined || range.start >= last.end) joined.push(range);
    else if (range.end > last.end) joined[joined.length - 1] = { ...last, end: range.end };
  }
  return joined;
}

function views(text: string, encodings: readonly Encoding[], maxDepth: number): View[] {
  const found: View[] = [{ text, isGuess: false }];
  const known = new Set([text]);
  for (let depth = 0, from = 0; depth < maxDepth; depth++) {
    const parents = found.slice(from);
    from = found.length;
    for (const parent of parents) {
      for (const encoding of encodings) {
        if (found.length === MAX_VIEWS) return found;
        const { pattern, decode, step } = encoding;
        const text = parent.text.replace(pattern, (...match) => decode(match));
        if (known.has(text)) continue;
        known.add(text);
        const isGuess = parent.isGuess || step !== undefined;
        found.push({ text, of: [parent, encoding], isGuess });
      }
    }
  }
  return found;
}

const ENCODINGS: readonly Encoding[] = [
  ESCAPES,
  ENTITIES,
  // Percent-encoded bytes become the characters with these codes.
  {
    pattern: /%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/gi,
    decode: ([, unit, byte]) => String.fromCharCode(parseInt(unit ?? byte, 16)),
  },
  // UTF-8 that was read as Latin-1.
  {
    pattern: /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g,
    decode: ([bytes]) =>
      new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))),
  },
  ...[0, 1, 2, 3].map((skipped): Encoding => ({
    pattern: new RegExp(`${runs("[\\w+/-]", 6, skipped).source}={0,2}`, "gi"),
    decode([run]) {
      const base64 = run.replaceAll("=", "").replaceAll("-", "+").replaceAll("_", "/");
      return atob(base64.length % 4 === 1 ? base64.slice(0, -1) : base64);
    },
    step: 4 / 3,
  })),
  ...[0, 1].map((skipped): Encoding => ({
    pattern: runs("[0-9a-f]", 8, skipped),
    decode: ([run]) => latin1Text(Uint8Array.fromHex(run.slice(0, run.length & ~1))),
    step: 2,
  })),
];

function runs(characters: string, least: number, skipped: number): RegExp {
  return new RegExp(
    `(?<=(?<!${characters})${characters}{${skipped}})${characters}{${least},}`,
    "gi",
  );
}
