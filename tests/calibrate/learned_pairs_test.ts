import { assertEquals } from "@std/assert";
import type { RequestText } from "../../src/plan/request_texts.ts";
import { type ValuePair, wholeText } from "../../src/correlation/compared_response.ts";
import type { PlanDraft } from "../../src/calibrate/draft.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { PairSelector } from "../../src/calibrate/learned_pairs.ts";
import { ResponseSnapshot } from "../../src/calibrate/response_snapshot.ts";

const snapshot = (text: string) =>
  new ResponseSnapshot({ status: 200, headers: [], mimeType: "text/html", text });

function pair(recorded: string, live: string, more: Partial<ValuePair> = {}): ValuePair {
  const place = { kind: "json", path: ["data", "id"], isNumber: false } as const;
  const at = wholeText(snapshot(""), recorded, "id", place);
  return { recorded, live, at, liveAt: at, name: "id", mayMove: false, ...more };
}

function learnable(
  pairs: readonly ValuePair[],
  options: { live?: string; sent?: readonly string[]; fromClient?: readonly string[] } = {},
) {
  const { live = "", sent, fromClient = [] } = options;
  const refused: string[] = [];
  const draft: Partial<PlanDraft> = {
    isSentAfter: (_, { value }) => sent?.includes(value) ?? true,
    isSentBefore: (_, { value }) => fromClient.includes(value),
    requestAt: () => undefined,
    explain: (_, text) => void refused.push(text.replace(/^.* is not extracted: /, "")),
  };
  const message = {} as Step;
  const selector = new PairSelector(message, snapshot(""), snapshot(live), draft as PlanDraft);
  const found = selector.select(pairs);
  return { found, values: found.map(({ recorded }) => recorded), refused };
}

Deno.test("PairSelector.select keeps values that a later request sends and no earlier request sent", () => {
  const pairs = [pair("tok-one-1", "x"), pair("tok-two-2", "y"), pair("tok-three-3", "z")];
  const options = { sent: ["tok-one-1", "tok-two-2"], fromClient: ["tok-two-2"] };
  const { values, refused } = learnable(pairs, options);
  assertEquals([values, refused], [["tok-one-1"], [
    "a request sent the value before any response contained it",
  ]]);
});

Deno.test("PairSelector.select allows a date to be replaced only in fields with the same name", () => {
  const { found } = learnable([pair("2026-01-02", "2026-11-22", { name: "date" })]);
  const text = (name: string): RequestText => (
    { kind: "json", name, resource: "source", template: "2026-01-02", numeric: false }
  );
  const { agrees } = found[0].literal;
  assertEquals([agrees?.(text("date")), agrees?.(text("source"))], [true, false]);
});

Deno.test("PairSelector.select rejects a value that only moved to a different position", () => {
  const moved = pair("tok-one-1", "tok-two-2", { mayMove: true });
  assertEquals(learnable([moved], { live: "a tok-two-2 b tok-one-1" }).values, []);
  assertEquals(learnable([moved], { live: "a tok-two-2 b tok-one-12" }).values, ["tok-one-1"]);
});

Deno.test("PairSelector.select rejects values that changed places with each other", () => {
  const swapped = [pair("profile", "email"), pair("email", "profile")];
  assertEquals(learnable(swapped).values, []);
  const numbers = [pair("1042", "1043", { name: "a" }), pair("1043", "1042", { name: "b" })];
  assertEquals(learnable(numbers).values.sort(), ["1042", "1043"]);
});

Deno.test("PairSelector.select lists a URL after the values that it contains, but a token before its parts", () => {
  const url = [pair("/files/ab12cd/raw", "/files/ef34gh/raw"), pair("ab12cd", "ef34gh")];
  assertEquals(learnable(url).values, ["ab12cd", "/files/ab12cd/raw"]);
  const token = [
    pair("2|ab12cd|998877", "2|ef34gh|112233"),
    pair("ab12cd", "ef34gh"),
    pair("998877", "112233"),
  ];
  assertEquals(learnable(token).values[0], "2|ab12cd|998877");
});

Deno.test("PairSelector.select keeps the first of several live values for a recorded value", () => {
  const { found, refused } = learnable([pair("tok-one-1", "x1"), pair("tok-one-1", "y2")]);
  assertEquals([found[0].live, refused], ["x1", ["in another place, the live value is x1"]]);
});
