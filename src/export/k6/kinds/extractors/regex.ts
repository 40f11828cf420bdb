import { patternLiteral } from "../../js/literal.ts";
import type { ExtractorWriter } from "./extractor_writer.ts";

/** Writes `regex` extractors as JavaScript. */
export const regex: ExtractorWriter<"regex"> = {
  write({ expression, group = 1 }, response, { script }) {
    const pattern = patternLiteral(expression, "g");
    return { all: `${script.use("matches")}(${response}, ${pattern}, ${group})` };
  },
};
