import { parse } from "@std/yaml";

/** How strictly YAML is read. */
export interface YamlOptions {
  /** Of a key that a map has twice, the last counts; without it, it is an error. */
  readonly allowDuplicateKeys?: boolean;
}

/** The value of a YAML 1.2 document. Throws an `Error` that says what the parser stumbled over. */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  return parse(text, { ...options, schema: "core" });
}
