import { constant } from "../../flow/rendered.ts";
import type { BodyRuntime } from "./body_runtime.ts";

/** `file` body: sends the content of a file. The file is read once, before the run starts. */
export const file: BodyRuntime<"file"> = {
  compile: (path, { readFile }) => ({
    content: constant(readFile(path)),
    contentType: undefined,
  }),
};
