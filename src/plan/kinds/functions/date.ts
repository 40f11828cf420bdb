import { durationMs } from "../../../base/format.ts";
import type { FunctionVariant } from "./function.ts";
import { dateFormatError } from "./date_format.ts";

export const date = {
  parameters: ["format", "offset?"],
  description:
    'The current time in UTC, formatted: "iso", "http", "unix" (seconds), "unix_ms", or ' +
    "a pattern of `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS`, in which text in single quotes " +
    'is literal. `offset` is added to the time: a duration such as "1d" or "-90m", or seconds',
  example: `date("yyyy-MM-dd", "1d")`,
  check: ([format, offset]) => {
    if (typeof format === "string" && dateFormatError(format)) return dateFormatError(format);
    if (typeof offset !== "string" || durationMs(offset.replace(/^[+-]/, "")) !== undefined) {
      return undefined;
    }
    return 'the offset must be a duration such as "1d" or "-90m"';
  },
} satisfies FunctionVariant;
