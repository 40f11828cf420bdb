import { stringLiteral } from "../../js/literal.ts";
import type { ExtractorWriter } from "./extractor_writer.ts";

/** Writes `cookie` extractors as JavaScript. */
export const cookie: ExtractorWriter<"cookie"> = {
  write: ({ cookie }, response, { script }) => ({
    all: `${script.use("cookieValues")}(${response}, ${stringLiteral(cookie)})`,
  }),
};
