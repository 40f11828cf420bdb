import { constant } from "../../flow/rendered.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/** Sends the content of a file, which is read once. */
export const file: BodyRuntime<"file"> = (path, { readFile }) => ({
  content: constant(readFile(path)),
  contentType: undefined,
});
