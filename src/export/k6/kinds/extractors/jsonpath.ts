import { jsonPathCode } from "../../responses/json_path.ts";
import type { ExtractorWriter } from "./extractor_writer.ts";

/** Writes `jsonpath` extractors as JavaScript. */
export const jsonpath: ExtractorWriter<"jsonpath"> = {
  write({ name, expression }, response, { script }) {
    const code = jsonPathCode(expression, response, script);
    if (code === undefined) {
      script.note(
        "k6-jsonpath",
        name,
        `\`${expression}\` is not exported: the variable is never set`,
      );
    }
    return code;
  },
};
