import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/base/errors.ts";
import { EXPORT_TARGET_NAMES, findTarget } from "../../src/export/export_targets.ts";

Deno.test("the command of every export target runs the exported file", () => {
  for (const name of EXPORT_TARGET_NAMES) {
    const { runCommand, extension } = findTarget(name);
    const file = `script.${extension}`;
    assertEquals(runCommand(file, false).at(-1), file);
    assertEquals(runCommand(file, true).some((word) => word.startsWith("BASE_URL=")), true);
  }
});

Deno.test("an unknown export target is a command-line error", () => {
  assertThrows(() => findTarget("gatling"), UsageError, "expected one of k6");
  assertThrows(() => findTarget("constructor"), UsageError, "expected one of k6");
});
