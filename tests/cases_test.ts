import { assertEquals } from "@std/assert";
import { playCase, readCases } from "./support/case_file.ts";

const CASES = new URL("../testdata/cases/", import.meta.url);

for (const [name, expected] of readCases(CASES)) {
  Deno.test(`case ${name}`, async () => {
    const { code, stdout, stderr, leaves } = await playCase(expected);
    assertEquals(stderr, expected.stderr ?? "");
    assertEquals(stdout, expected.stdout ?? "");
    assertEquals(code, expected.exit);
    assertEquals(leaves, expected.leaves ?? {});
  });
}
