import { assertEquals } from "@std/assert";
import { withNewHead } from "../../../src/plan/edits/text_edits.ts";

/** Creates the start of a plan, with the line that names the schema unless `schema` is empty. */
function plan(schema: string, notes: string): string {
  const line = schema && `# yaml-language-server: $schema=${schema}\n`;
  return `${line}# ${notes}\nname: a\n`;
}

Deno.test("withNewHead replaces the schema of another version, and removes it if this version has none", () => {
  const old = plan("https://example.com/v1", "old");
  for (const schema of ["https://example.com/v2", ""]) {
    assertEquals(withNewHead(old, old, plan(schema, "new")), plan(schema, "new"));
  }
});

Deno.test("withNewHead keeps a schema that you changed or added", () => {
  const mine = plan("mine", "old");
  for (const schema of ["https://example.com/v1", ""]) {
    assertEquals(withNewHead(mine, plan(schema, "old"), plan(schema, "new")), plan("mine", "new"));
  }
});
