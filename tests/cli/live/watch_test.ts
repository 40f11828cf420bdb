import { assertEquals } from "@std/assert";
import { unansweredWarning } from "../../../src/cli/live/watch.ts";

Deno.test("unansweredWarning warns once, as soon as requests have ended without a response", () => {
  const warningOf = unansweredWarning(["http://a.example", "http://b.example"]);
  assertEquals(warningOf({ requests: 0, received: 0 }), undefined);
  assertEquals(
    warningOf({ requests: 4_812, received: 0 }),
    "warning: none of the first 4,812 requests got a response; check that http://a.example, " +
      "http://b.example are the right addresses and that their servers are running, or stop the " +
      "run (Ctrl-C)",
  );
  assertEquals(warningOf({ requests: 9_000, received: 0 }), undefined);
});

Deno.test("unansweredWarning does not warn after a response", () => {
  const warningOf = unansweredWarning(["http://a.example"]);
  assertEquals(warningOf({ requests: 9, received: 1 }), undefined);
  assertEquals(warningOf({ requests: 10, received: 0 }), undefined);
});
