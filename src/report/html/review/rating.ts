import type { HtmlCell } from "../html_table.ts";
import type { Rating } from "./review.ts";

const TONES: Readonly<Record<Rating, HtmlCell["tone"]>> = {
  good: undefined,
  open: "open",
  bad: "bad",
};

/** Creates a cell with a result in the color of its rating. */
export function ratedCell(result: string, rating: Rating): HtmlCell {
  const tone = TONES[rating];
  return tone === undefined ? { content: result } : { content: result, tone };
}
