import { assertEquals } from "@std/assert";
import { warningsPage } from "../../scripts/warnings_page.ts";

Deno.test("docs/warnings.md lists every kind of note", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/warnings.md", import.meta.url));
  assertEquals(page, warningsPage(page), "run `deno task schema`");
});
