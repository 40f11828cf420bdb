import { jsonPathCode } from "../../responses/json_path.ts";
import type { ExtractorWriter } from "./extractor_writer.ts";

/** Writes `jsonpath` extractors as JavaScript. */
export const jsonpath: ExtractorWriter<"jsonpath"> = {
  write: ({ expression }, response, { script }) => jsonPathCode(expression, response, script),
};
