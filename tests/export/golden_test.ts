import { assertEquals } from "@std/assert";
import { goldens, goldenScript } from "./goldens.ts";

for (const golden of goldens()) {
  Deno.test(`export k6 writes the golden script for ${golden.name}.yaml`, async () => {
    assertEquals(await goldenScript(golden), await Deno.readTextFile(golden.script));
  });
}
