import { assertEquals } from "@std/assert";
import { DIAGNOSTIC_CODES, formatPath } from "../../../src/plan/rules/diagnostic.ts";

const DOCS = new URL("../../../docs/diagnostics.md", import.meta.url);
const BROKEN = new URL("../../../testdata/plans/broken/", import.meta.url);

Deno.test("docs/diagnostics.md explains every diagnostic code and no others", () => {
  const headings = Deno.readTextFileSync(DOCS).matchAll(/^### ([a-z0-9-]+)/gm);
  assertEquals([...headings].map(([, code]) => code).sort(), [...DIAGNOSTIC_CODES].sort());
});

Deno.test("testdata has a broken plan for every diagnostic code", () => {
  const shown = new Set<string>(["unreadable"]);
  for (const { name } of Deno.readDirSync(BROKEN)) {
    if (!name.endsWith(".expected")) continue;
    const text = Deno.readTextFileSync(new URL(name, BROKEN));
    for (const [, code] of text.matchAll(/^\S+ \w+ ([a-z0-9-]+)/gm)) shown.add(code);
  }
  assertEquals([...shown].sort(), [...DIAGNOSTIC_CODES].sort());
});

Deno.test("formatPath writes paths with dots and brackets", () => {
  assertEquals(formatPath([]), "");
  assertEquals(
    formatPath(["scenarios", "a-b", "flow", 0, "request"]),
    "scenarios.a-b.flow[0].request",
  );
  assertEquals(formatPath(["headers", 'X "A"', ""]), 'headers["X \\"A\\""][""]');
});
