// @ts-types="@types/js-yaml"
import { CORE_SCHEMA, load, type Schema, Type, YAMLException } from "js-yaml";
import { isJsonNumber, PlainScalar, type WrittenNumber, writtenNumber } from "./exact_number.ts";

/** Options for parsing YAML. */
export interface YamlOptions {
  /** Uses the last value of a key that a map has several times, which else is an error. */
  readonly allowDuplicateKeys?: boolean;
  /** True to keep each `PlainScalar`. If false (the default), the result contains its value. */
  readonly keepPlain?: boolean;
}

/** Parses YAML 1.2. A number such as 1.10 becomes an `ExactNumber`. Throws an `Error`. */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  const { allowDuplicateKeys = false, keepPlain = false } = options;
  const schema = keepPlain ? KEPT : READ;
  try {
    return load(text, { schema, json: allowDuplicateKeys, ...UNLIMITED }) ?? null;
  } catch (error) {
    if (!(error instanceof YAMLException) || !error.mark) throw error;
    const { line, column } = error.mark;
    throw new Error(`${error.reason} at line ${line + 1}, column ${column + 1}`);
  }
}

/** The types of `js-yaml` lack this option. */
const UNLIMITED = { maxDepth: Infinity };

const READ = schemaFor(({ value }) => value);
/** Keeps what YAML 1.1 reads differently, and what is not written as its value is printed. */
const KEPT = schemaFor((scalar) => {
  const { value, written, isAmbiguous } = scalar;
  return isAmbiguous || String(value) !== written ? scalar : value;
});

/** Scalars without quotes, except text and null, become the results of `read`. */
function schemaFor(read: (scalar: PlainScalar) => unknown): Schema {
  const implicit = ["bool", "int", "float"].map((name) =>
    new Type(`tag:yaml.org,2002:${name}`, {
      kind: "scalar",
      resolve: (text) => text !== null && plainScalar(text) !== undefined,
      construct: (text) => read(plainScalar(text)!),
    })
  );
  return CORE_SCHEMA.extend({ implicit });
}

const INTEGER = /^(?:-?\d+|0o[0-7]+|0x[\da-fA-F]+)$/;
const FLOAT = /^-?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const NOT_FINITE: Readonly<Record<string, number>> = {
  ".inf": Infinity,
  "-.inf": -Infinity,
  ".nan": NaN,
};
/** Matches what YAML 1.1 reads as another number or boolean than YAML 1.2. */
const AMBIGUOUS =
  /^(?:[-+]?(?:0[0-7_]+|0\d+|0b[01_]+|0o[0-7]+|[\d_]*\d_[\d_]*(?:\.[\d_]*)?|\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?)|y(?:es)?|no?|on|off)$/i;

/** Undefined for text. */
function plainScalar(text: string): PlainScalar | undefined {
  if (!MAYBE_PLAIN.test(text)) return undefined;
  const value = plainValue(text);
  const isAmbiguous = AMBIGUOUS.test(text);
  return value === text && !isAmbiguous ? undefined : new PlainScalar(text, value, isAmbiguous);
}

/** Prefilter. */
const MAYBE_PLAIN = /^(?:[-+]?[.\d]|(?:true|false|y|yes|no?|on|off)$)/i;

function plainValue(text: string): WrittenNumber | boolean | string {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const number = text.replace(/^\+/, "");
  if (isJsonNumber(number)) return writtenNumber(number);
  if (INTEGER.test(number)) return writtenNumber(String(BigInt(number)));
  return FLOAT.test(number) ? Number(number) : NOT_FINITE[number.toLowerCase()] ?? text;
}
