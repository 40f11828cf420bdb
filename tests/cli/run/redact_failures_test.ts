import { assertEquals } from "@std/assert";
import { redactFailure, redactProgress } from "../../../src/cli/run/redact_failures.ts";
import { progressAt } from "../../builders/progress.ts";

const redact = (text: string) => text.replaceAll("hush", "***");
const IN = { scenario: "s", group: "", name: "a", method: "GET", count: 1 };

Deno.test("redactProgress hides secrets in the messages of a run in progress", () => {
  const progress = progressAt(1_000, {
    details: {
      checks: [],
      endpoints: [],
      scenarios: [],
      errors: [{ kind: "assert", scenario: "s", name: "a", count: 1, message: "no hush" }],
      failures: [{ ...IN, status: 200, kind: "assert", message: "no hush" }, {
        ...IN,
        status: 500,
      }],
    },
  });
  const { details, ...rest } = redactProgress(progress, redact);
  assertEquals(JSON.stringify(details).includes("hush"), false);
  assertEquals(details!.failures!.map(({ message }) => message), ["no ***", undefined]);
  const { details: _, ...expected } = progress;
  assertEquals(rest, expected);
  assertEquals(redactProgress(expected, redact), expected);
});

Deno.test("redactFailure hides secrets in the sample of a failure", () => {
  const sample = {
    request: { method: "GET", url: "http://a/hush", headers: ["x: hush"], body: "hush" },
    response: { status: 500, headers: ["y: hush"], body: "hush" },
  };
  const found = redactFailure({ ...IN, status: 500, sample }, redact);
  assertEquals(JSON.stringify(found).includes("hush"), false);
  assertEquals(found.sample!.response!.body, "***");
});
