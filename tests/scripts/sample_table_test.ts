import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { checkSamples } from "../../scripts/samples/check_sample.ts";

Deno.test("at least 62 of 76 sample logs are read without options, and none is misread", async () => {
  const results = await checkSamples();
  assertEquals(results.filter(({ wrong }) => wrong.length > 0), []);
  const written = results.filter(({ name }) => !name.startsWith("servers/"));
  assertGreaterOrEqual(written.length, 76);
  assertGreaterOrEqual(written.filter(({ option }) => option === undefined).length, 62);
});
