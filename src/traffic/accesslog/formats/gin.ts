import { expandLayout } from "../read/times/time_layout.ts";
import { type NamedFormat, textVariant } from "./named_format.ts";

const LAYOUT = "[GIN] <time> | <status> |<~duration> |<~client> |<~method>";
const OPTIONS = { layout: expandLayout("%Y/%m/%d - %T") };

/** Gin's access log, in the default format without colors. */
export const gin: NamedFormat = {
  writtenBy: "Gin (Go)",
  sample:
    '[GIN] 2026/11/21 - 10:00:00 | 200 |      2.31ms |     203.0.113.7 | GET      "/cart?id=7"',
  variants: [
    textVariant("gin", `${LAYOUT} <>"<target>"`, "layout", 1, OPTIONS),
    textVariant("gin", `${LAYOUT} <~target>`, "layout", 1, OPTIONS),
  ],
};
