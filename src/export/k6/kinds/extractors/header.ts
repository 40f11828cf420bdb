import { patternLiteral } from "../../js/literal.ts";
import { headerCode } from "../../responses/header_name.ts";
import type { ExtractorWriter } from "./extractor_writer.ts";

/**
 * Writes `header` extractors as JavaScript. k6 joins several headers with the same name into one
 * value.
 */
export const header: ExtractorWriter<"header"> = {
  write({ header, expression }, response) {
    const value = headerCode(header, response);
    const first = expression === undefined
      ? value
      : `${value}?.match(${patternLiteral(expression)})?.[1]`;
    return { all: `[${first}].filter((value) => value !== undefined)`, first };
  },
};
