import { stringLiteral } from "../../js/literal.ts";
import type { ExtractorWriter } from "./extractor_writer.ts";

/** Writes `boundary` extractors as JavaScript. */
export const boundary: ExtractorWriter<"boundary"> = {
  write({ left, right }, response, { script }) {
    const delimiters = `${stringLiteral(left)}, ${stringLiteral(right)}`;
    return { all: `${script.use("between")}(${response}, ${delimiters})` };
  },
};
