import { parse } from "@std/yaml";
import { isJsonNumber, PlainScalar, type WrittenNumber, writtenNumber } from "./exact_number.ts";

/** Options for parsing YAML. */
export interface YamlOptions {
  /** Uses the last value of a key that a map has several times, which else is an error. */
  readonly allowDuplicateKeys?: boolean;
  /** True to keep each `PlainScalar`. If false (the default), the result contains its value. */
  readonly keepPlain?: boolean;
}

/** Matches a place after an indicator, and perhaps an anchor, where a key or a value starts. */
const START = /(?<=^(?:[-?] +)*|(?:(?:(?<![|>\d])[-?]|:)(?=\s)|[[{,])(?:\s|#.*\n)*(?:&\S+ +)?|":)/;
const END = /(?=\s*(?:$|[,\]}])|:(?:\s|$)|\s+#)/;
const WORD = /(?:yes|no|on|off|[yn]|true|false)\b/;
const NUMBER = /[-+]?\.?\d(?:[\w.+-]|:(?=\d))*/;
/** Prefilter: most numbers are read as written. */
const USUAL = /(?:0|-?[1-9]\d{0,14})(?:[\s,\]}]|$)/;
/** Scalars without quotes that may be a `PlainScalar`, with their tags. */
const SCALARS = new RegExp(
  `(?<![^\\s:,[{])(?=[-+.!\\d]|${WORD.source})(?!${USUAL.source})${START.source}` +
    `(?:!!(?:int|float|bool) +)?(${NUMBER.source}|${WORD.source})${END.source}`,
  "gim",
);

/** Parses YAML 1.2. A number such as 1.10 becomes an `ExactNumber`. Throws an `Error`. */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  const { allowDuplicateKeys, keepPlain = false } = options;
  const read = (source: string) => parse(source, { allowDuplicateKeys, schema: "core" });
  // The parser reads a marked scalar as text, even if it looks like a number.
  const mark = unusedCharacter(text);
  const marked = text.replace(
    SCALARS,
    (all, scalar: string) => plainScalar(scalar) ? mark + scalar : all,
  );
  if (marked === text) return read(text);
  let value: unknown;
  try {
    value = read(marked);
  } catch {
    return read(text); // Throws the error with the place in the text.
  }
  return withoutMarks(value, mark, keepPlain, new Set());
}

function unusedCharacter(text: string): string {
  let code = 0xe000;
  while (text.includes(String.fromCharCode(code))) code++;
  return String.fromCharCode(code);
}

/** Modifies maps and lists in place. `known` contains those already processed. */
function withoutMarks(
  value: unknown,
  mark: string,
  keepPlain: boolean,
  known: Set<unknown>,
): unknown {
  if (typeof value === "string") {
    const text = value.replaceAll(mark, "");
    const scalar = value === mark + text ? plainScalar(text) : undefined;
    if (scalar === undefined) return text;
    const isKept = keepPlain && (scalar.isAmbiguous || String(scalar.value) !== text);
    return isKept ? scalar : scalar.value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (known.has(value)) return value;
  known.add(value); // An anchor may contain its own alias.
  const map = value as Record<string, unknown>;
  const entries = Object.entries(map);
  const isRenamed = !Array.isArray(value) && entries.some(([key]) => key.includes(mark));
  // Keeps the order of the members.
  if (isRenamed) { for (const [key] of entries) delete map[key]; }
  for (const [key, member] of entries) {
    Object.defineProperty(map, key.replaceAll(mark, ""), {
      value: withoutMarks(member, mark, keepPlain, known),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return value;
}

const INTEGER = /^(?:-?\d+|0o[0-7]+|0x[\da-fA-F]+)$/;
const FLOAT = /^-?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** Matches what YAML 1.1 reads as another number or boolean than YAML 1.2. */
const AMBIGUOUS =
  /^(?:[-+]?(?:0[0-7_]+|0\d+|0b[01_]+|0o[0-7]+|[\d_]*\d_[\d_]*(?:\.[\d_]*)?|\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?)|y(?:es)?|no?|on|off)$/i;

function plainScalar(text: string): PlainScalar | undefined {
  const value = plainValue(text);
  const isAmbiguous = AMBIGUOUS.test(text);
  const isWritten = typeof value !== "object" && String(value) === text;
  return isWritten && !isAmbiguous ? undefined : new PlainScalar(text, value, isAmbiguous);
}

function plainValue(text: string): WrittenNumber | boolean | string {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const number = text.replace(/^\+/, "");
  if (isJsonNumber(number)) return writtenNumber(number);
  if (INTEGER.test(number)) return writtenNumber(String(BigInt(number)));
  return FLOAT.test(number) ? Number(number) : text;
}
