import { assertEquals } from "@std/assert";
import { readCases, runCase } from "./support/case_file.ts";

const CASES = new URL("../testdata/cases/", import.meta.url);

for (const [name, expected] of readCases(CASES)) {
  Deno.test(`the case ${name} produces the expected output, exit code and files`, async () => {
    const { code, stdout, stderr, leaves } = await runCase(expected);
    assertEquals(stderr, expected.stderr ?? "");
    assertEquals(stdout, expected.stdout ?? "");
    assertEquals(code, expected.exit);
    assertEquals(leaves, expected.leaves ?? {});
  });
}
