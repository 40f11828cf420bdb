import { assertEquals } from "@std/assert";
import { KnownPairs } from "../../src/correlation/known_pairs.ts";

Deno.test("KnownPairs replaces whole tokens only, in both directions", () => {
  const known = new KnownPairs();
  known.add("86686", "90001");
  known.add("tok-abcdefgh", "tok-zyxwvuts");
  known.add("5", "7");
  const text = "/a/86686/x866861?t=tok-abcdefgh&n=5";
  assertEquals(known.toLive(text), "/a/90001/x866861?t=tok-zyxwvuts&n=5");
  assertEquals(known.toRecorded(known.toLive(text)), text);
  assertEquals([known.liveOf("5"), known.recordedOf("7")], ["7", "5"]);
});

Deno.test("KnownPairs replaces encoded forms of a value", () => {
  const known = new KnownPairs();
  known.add('a "title" & b', "other <title>");
  assertEquals(known.toLive("q=a%20%22title%22%20%26%20b"), "q=other%20%3Ctitle%3E");
  assertEquals(known.toLive("<b>a &quot;title&quot; &amp; b</b>"), "<b>other &lt;title&gt;</b>");
  assertEquals(known.toLive('{"t":"a \\"title\\" & b"}'), '{"t":"other <title>"}');
});

Deno.test("KnownPairs keeps the first of several live values for a recorded value", () => {
  const known = new KnownPairs();
  assertEquals([known.add("abcd", "efgh"), known.add("abcd", "ijkl")], [true, false]);
  assertEquals(known.liveOf("abcd"), "efgh");
});
