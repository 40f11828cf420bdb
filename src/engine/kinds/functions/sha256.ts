import { nodeCrypto } from "../../../base/node_builtins.ts";
import { digestEncoding } from "./digest_encoding.ts";
import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `sha256()` function: computes the SHA-256 hash of text. */
export const sha256: FunctionRuntime = {
  pure: true,
  load: nodeCrypto,
  call: ([text, encoding]) =>
    nodeCrypto().createHash("sha256").update(toText(text)).digest(digestEncoding(encoding)),
};
