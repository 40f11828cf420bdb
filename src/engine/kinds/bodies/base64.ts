import { constant } from "../../flow/rendered.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/** `base64` body: sends binary content that is written as Base64 in the plan. */
export const base64: BodyRuntime<"base64"> = {
  compile: (text) => ({
    content: constant(Uint8Array.fromBase64(text)),
    contentType: undefined,
  }),
};
