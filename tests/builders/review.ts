import type { Review } from "../../src/report/text/review.ts";

/** Creates an example review of a recorded login, with one stale and one extracted value. */
export function exampleReview(changes: Partial<Review> = {}): Review {
  const get = "request 1 (GET /login)";
  const post = "request 2 (POST /login)";
  return {
    title: "Verification",
    rating: "bad",
    verdict: "stale: 1 stale value would be sent",
    facts: ["recorded calls: 1 stale, 1 consistent"],
    calls: [
      {
        name: get,
        entry: 3,
        method: "GET",
        url: "https://shop.example/login",
        status: 200,
        result: "consistent",
        rating: "good",
      },
      {
        name: post,
        entry: 12,
        method: "POST",
        url: "https://shop.example/login",
        status: 302,
        result: "stale",
        rating: "bad",
        reason: `depends on ${get}`,
      },
    ],
    values: [
      {
        recorded: "c796f15d",
        result: "stale",
        rating: "bad",
        from: { call: get },
        to: [{ call: post, place: "form csrf_token" }],
        reason: "sent as recorded",
        edit: `# ${get}\nextract:\n  - type: css\n    name: csrf_token`,
      },
      {
        variable: "next",
        recorded: "/home",
        live: "/start",
        result: "extracted",
        rating: "good",
        from: { call: get, place: "css input" },
        to: Array.from({ length: 7 }, (_, i) => ({ call: post, place: `form next${i}` })),
      },
    ],
    actual: "sent",
    differences: [{
      rating: "bad",
      call: post,
      what: "query page",
      recorded: "1",
      actual: "2",
      count: 4,
    }],
    notes: [{ rating: "open", kind: "call not sent", subject: get, message: "missing" }],
    ...changes,
  };
}
