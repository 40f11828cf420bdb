import { createHmac } from "node:crypto";
import { digestEncoding } from "./digest_encoding.ts";
import { type FunctionRuntime, textOf } from "./function_runtime.ts";

/** `hmac_sha256()` function. */
export const hmacSha256: FunctionRuntime = {
  pure: true,
  call: ([key, text, encoding]) =>
    createHmac("sha256", textOf(key)).update(textOf(text)).digest(digestEncoding(encoding)),
};
