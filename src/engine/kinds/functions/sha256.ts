import { createHash } from "node:crypto";
import { digestEncoding } from "./digest_encoding.ts";
import { type FunctionRuntime, textOf } from "./function_runtime.ts";

/** `sha256()` function. */
export const sha256: FunctionRuntime = {
  pure: true,
  call: ([text, encoding]) =>
    createHash("sha256").update(textOf(text)).digest(digestEncoding(encoding)),
};
