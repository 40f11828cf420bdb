import { createHmac } from "node:crypto";
import { digestEncoding } from "./digest_encoding.ts";
import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `hmac_sha256()` function: computes the HMAC-SHA-256 of text with a key. */
export const hmacSha256: FunctionRuntime = {
  pure: true,
  call: ([key, text, encoding]) =>
    createHmac("sha256", toText(key)).update(toText(text)).digest(
      digestEncoding(encoding),
    ),
};
