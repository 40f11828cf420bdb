import { assertEquals } from "@std/assert";
import type { CallOutcome, RandomFailure } from "../../src/calibrate/attempts.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { listVerdicts } from "../../src/calibrate/verdicts.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { difference } from "../../src/outcome/difference.ts";
import { ModelBrowser } from "../support/model_app.ts";

const browser = new ModelBrowser(() => ({ json: { saved: true } }));
browser.send("GET", "/teas");
browser.send("POST", "/orders", { json: { tea: "Sencha" } });
browser.send("POST", "/orders/first/notes", { json: { text: "hot" } });
browser.send("GET", "/help");
const recording = await browser.recording();
const { plan } = convertHar(recording, {});
const origin = "http://recorded.example:8080";
const recorded = readRecordedSide(recording, plan, { recorded: origin, target: origin });
const draft = new PlanDraft(plan, recorded);

/** What one call got in one iteration, as part of an outcome. */
const GOT = {
  ok: {},
  bad: { differences: [difference("status", "200", "500")] },
  login: { differences: [difference("status", "200", "401")], demand: "login" },
  maybe: { differences: [difference("status", "200", "403")], demand: "unclear" },
  doubt: { differences: [difference("command", "show", "")] },
  taken: { differences: [difference("status", "200", "422")], isTaken: true },
  down: { error: "connection refused" },
  unsent: { error: "not sent", unsent: true },
  lost: { writeDifferences: ["`json $.tea` is sent empty"] },
  unshown: { unshown: "no response shows what it sent" },
} as const satisfies Record<string, Partial<CallOutcome>>;
type Got = keyof typeof GOT;

/**
 * Outcomes of the four calls in the iterations of a round, which users 1 and 2 send in turn, and
 * the expected verdicts.
 */
const ROUNDS: readonly (readonly [iterations: readonly string[], verdicts: string])[] = [
  [["ok ok ok ok", "ok ok ok ok"], "as recorded, as recorded, as recorded, as recorded"],
  [["ok bad ok ok"], "as recorded, refused, as recorded, as recorded"],
  [["ok bad bad ok"], "as recorded, refused, consequence of 2, as recorded"],
  [["ok bad ok bad"], "as recorded, refused, as recorded, refused"],
  [["ok unsent taken ok"], "as recorded, not sent, refused, as recorded"],
  [["login bad ok bad"], "login, consequence of 1, as recorded, consequence of 1"],
  [["down bad"], "no response, consequence of 1, not sent by 1, not sent by 1"],
  [["ok doubt ok ok"], "as recorded, unclear write, as recorded, as recorded"],
  [["ok ok ok ok", "ok ok ok bad"], "as recorded, as recorded, as recorded, state"],
  [["ok ok ok ok", "ok ok ok maybe"], "as recorded, as recorded, as recorded, unclear"],
  [["ok ok ok ok", "ok ok ok login"], "as recorded, as recorded, as recorded, login"],
  [
    ["ok ok ok ok", "ok ok ok bad", "ok ok ok ok", "ok ok ok bad"],
    "as recorded, as recorded, as recorded, user",
  ],
  [["ok lost ok ok"], "as recorded, other request, as recorded, as recorded"],
  [["ok unshown ok ok"], "as recorded, not shown, as recorded, as recorded"],
  [["ok lost ok ok", "ok bad ok ok"], "as recorded, state, as recorded, as recorded"],
];

function outcomesOf(iterations: readonly string[]): CallOutcome[] {
  return iterations.flatMap((line, i) =>
    line.split(" ").map((got, index): CallOutcome => ({
      user: i % 2 + 1,
      iteration: Math.floor(i / 2) + 1,
      index,
      differences: [],
      ...GOT[got as Got],
    }))
  );
}

function judge(iterations: readonly string[], random: readonly RandomFailure[] = []): string {
  return listVerdicts({
    outcomes: outcomesOf(iterations),
    draft,
    random,
    unique: [],
    isRepaired: () => false,
    wasGood: () => false,
  }).map(({ kind, causedBy }) =>
    causedBy === undefined ? kind : `${kind} ${kind === "not sent" ? "by" : "of"} ${causedBy + 1}`
  ).join(", ");
}

for (const [iterations, verdicts] of ROUNDS) {
  Deno.test(`listVerdicts: ${iterations.join(" / ")}`, () => {
    assertEquals(judge(iterations), verdicts);
  });
}

Deno.test("listVerdicts: a call that failed at random is not proven by a round in which it works", () => {
  const failure = { index: 3, succeeded: 3, attempts: 4, round: "pass 1", user: 1, iteration: 1 };
  assertEquals(
    judge(["ok ok ok ok"], [{ ...failure, differences: ["status 500 instead of 200"] }]),
    "as recorded, as recorded, as recorded, random",
  );
});
