import type { Review } from "../../report/html/review/review.ts";
import { mapLeaves } from "../../traffic/session/json_tree.ts";

/** Returns a review with `hide` applied to each of its strings, so that it contains no secrets. */
export function hiddenReview(review: Review, hide: (text: string) => string): Review {
  return mapLeaves(review, (value) => typeof value === "string" ? hide(value) : value) as Review;
}
