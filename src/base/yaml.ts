import { parse } from "@std/yaml";

/** The value of a YAML 1.2 document. Throws an `Error` that says what the parser stumbled over. */
export function parseYaml(text: string): unknown {
  return parse(text, { schema: "core" });
}
