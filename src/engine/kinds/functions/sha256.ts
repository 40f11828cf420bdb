import { hash } from "node:crypto";
import { digestEncoding } from "./digest_encoding.ts";
import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `sha256()` function: computes the SHA-256 hash of text. */
export const sha256: FunctionRuntime = {
  pure: true,
  call: ([text, encoding]) => hash("sha256", toText(text), digestEncoding(encoding)),
};
