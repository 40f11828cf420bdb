import { type NamedFormat, textVariant } from "./named_format.ts";

const LAYOUT = 'Started <method> "<target>" for <client> at <time>';

/** Rails log. Reads the `Started …` line of each request, which contains no status. */
export const rails: NamedFormat = {
  writtenBy: "Rails (its `Started …` lines, which contain no status)",
  sample: 'Started GET "/cart?id=7" for 203.0.113.7 at 2026-11-21 10:00:00 +0000',
  variants: [
    textVariant("rails", LAYOUT, "iso", 1),
    textVariant("rails", `<>, [<>] <>${LAYOUT}`, "iso", 1),
  ],
};
