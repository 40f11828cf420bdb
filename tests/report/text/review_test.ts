import { assertEquals, assertStringIncludes } from "@std/assert";
import { reviewText } from "../../../src/report/text/review.ts";
import { exampleReview } from "../../builders/review.ts";

const BAD = `stale: 1 stale value would be sent

Calls that are not as recorded
  request 2 (POST /login)  https://shop.example/login  depends on request 1 (GET /login)

Stale values (1)
  "c796f15d" in form csrf_token of request 2 (POST /login)
    sent as recorded; source: request 1 (GET /login)

Calls that differ (1)
  request 2 (POST /login): query page: recorded "1", sent "2", 4 times
`;

Deno.test("reviewText lists bad values and differences, and with `explain` everything", () => {
  assertEquals(reviewText(exampleReview(), false), BAD);
  const whole = reviewText(exampleReview(), true);
  assertStringIncludes(whole, "Call not sent (1)\n  request 1 (GET /login): missing\n");
  assertStringIncludes(whole, "\n\nrecorded calls: 1 stale, 1 consistent\n");
});

Deno.test("reviewText joins equal differences, and lists at most six entries of a kind", () => {
  const differences = Array.from({ length: 9 }, (_, i) => ({
    rating: "bad" as const,
    call: `request ${i}`,
    what: i < 2 ? "status" : `query q${i}`,
    recorded: "1",
  }));
  const text = reviewText(exampleReview({ values: [], differences }), false);
  assertStringIncludes(
    text,
    'request 0 and 1 more call: status: recorded "1", not sent, 2 times\n',
  );
  assertStringIncludes(text, "  (2 more; `--explain` lists all)\n");
});

Deno.test("reviewText joins calls with the same reason, but not with `explain`", () => {
  const calls = ["a", "b", "c"].map((url, i) => ({
    name: `call ${i + 2}`,
    method: "GET",
    url,
    result: "caused by an earlier call",
    rating: "bad" as const,
    reason: i < 2 ? "caused by call 1: not sent" : "not sent",
  }));
  const review = exampleReview({ calls, values: [], differences: [], notes: [] });
  assertStringIncludes(
    reviewText(review, false),
    "call 2  a  caused by call 1: not sent (and 1 more call)\n  call 4  c  not sent\n",
  );
  assertStringIncludes(reviewText(review, true), "call 3  b  caused by call 1: not sent\n");
});

Deno.test("reviewText escapes recorded text", () => {
  const notes = [{ rating: "bad" as const, kind: "k", subject: "\u202ea", message: "\x1b[31m" }];
  const text = reviewText(exampleReview({ notes }), false);
  for (const raw of ["\u202e", "\x1b"]) assertEquals(text.includes(raw), false);
});
