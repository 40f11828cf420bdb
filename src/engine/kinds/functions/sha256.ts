import { createHash } from "node:crypto";
import { digestEncoding } from "./digest_encoding.ts";
import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `sha256()` function. */
export const sha256: FunctionRuntime = {
  pure: true,
  call: ([text, encoding]) =>
    createHash("sha256").update(toText(text)).digest(digestEncoding(encoding)),
};
