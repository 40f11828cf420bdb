import { assertEquals, assertStringIncludes } from "@std/assert";
import { blockedError } from "../../../src/engine/workers/worker_runner.ts";

Deno.test("the error about a thread that does not stop mentions expressions only if the plan contains any", () => {
  assertStringIncludes(blockedError(true).message, "Simplify the plan's expressions.");
  const { message } = blockedError(false);
  assertEquals(message.includes("expression"), false);
  assertStringIncludes(message, "a worker thread was too busy to stop");
  assertStringIncludes(message, "Use fewer VUs");
});
