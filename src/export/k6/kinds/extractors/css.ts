import { stringLiteral } from "../../js/literal.ts";
import { cssCode, noteSelector } from "../../responses/css_selector.ts";
import type { ExtractorWriter } from "./extractor_writer.ts";

/** Writes `css` extractors as JavaScript. */
export const css: ExtractorWriter<"css"> = {
  write({ expression, attribute, index = "first" }, response, { script }) {
    if (attribute === undefined) {
      return { all: `${cssCode(expression, response, script)}.map((element) => element.text())` };
    }
    const name = stringLiteral(attribute);
    if (index !== "first" || !/^[a-z][\w-]*$/.test(attribute)) {
      const values = `${
        cssCode(expression, response, script)
      }.map((element) => element.attr(${name}))`;
      return { all: `${values}.filter((value) => value !== undefined)` };
    }
    noteSelector(expression, script);
    // Skips elements without the attribute, as the plan does.
    const first = `${response}.html().find(${stringLiteral(expression)})` +
      `.filter('[${attribute}]').attr(${name})`;
    return { all: `[${first}]`, first };
  },
};
