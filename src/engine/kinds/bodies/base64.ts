import { constant } from "../../flow/rendered.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/** Sends binary content that the plan contains as Base64. */
export const base64: BodyRuntime<"base64"> = (text) => ({
  content: constant(Uint8Array.fromBase64(text)),
  contentType: undefined,
});
