import process from "node:process";
import { type Document, parseDocument } from "yaml";

/**
 * Parses YAML text into a syntax tree. If `uniqueKeys` is false, repeated keys are not errors.
 * Throws a `RangeError` if the text is nested too deeply.
 */
export function parseTree(text: string, uniqueKeys: boolean): Document {
  const options = { logLevel: "error", prettyErrors: false, uniqueKeys } as const;
  return withoutEnvironment(() => parseDocument(text, options));
}

/**
 * Runs `action` with an empty environment. The `yaml` package reads debugging switches from the
 * environment, which would require a permission.
 */
function withoutEnvironment<Result>(action: () => Result): Result {
  const { env } = process;
  process.env = {};
  try {
    return action();
  } finally {
    process.env = env;
  }
}
