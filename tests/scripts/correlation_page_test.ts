import { assertEquals } from "@std/assert";
import { correlationPage } from "../../scripts/correlation_page.ts";

Deno.test("docs/correlation.md lists the sources of `--correlate`", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/correlation.md", import.meta.url));
  assertEquals(page, correlationPage(page), "run `deno task schema`");
});
