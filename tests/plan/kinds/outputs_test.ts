import { assert } from "@std/assert";
import { OUTPUTS } from "../../../src/plan/kinds/outputs.ts";

Deno.test("docs/exporters.md has an example of every output", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/exporters.md", import.meta.url));
  for (const type of Object.keys(OUTPUTS)) assert(page.includes(`{ type: ${type}, `), type);
});
