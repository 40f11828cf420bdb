import { assertEquals } from "@std/assert";
import { codeSpans, Markup, markup } from "../../src/report/markup.ts";

Deno.test("markup removes the indentation of a template, but keeps the indentation of its values", () => {
  const table = (text: string) =>
    markup`
      <table class="${"sortable"}">
        <td>${text}</td>
      </table>
    `;
  for (const text of ["a", "b\n  c"]) {
    assertEquals(
      table(text).text,
      `<table class="sortable">\n<td>${text.replace("\n", "\\x0a")}</td>\n</table>`,
    );
  }
  const value = new Markup("<pre>\n  x\n</pre>");
  assertEquals(markup`  ${value} `.text, "  <pre>\n  x\n</pre> ");
});

Deno.test("codeSpans renders parts in backticks as code, and escapes them", () => {
  assertEquals(
    codeSpans("raise `max_vus` `<b>` or `x").text,
    "raise <code>max_vus</code> <code>&lt;b&gt;</code> or `x",
  );
});

Deno.test("markup escapes text, joins lists and omits undefined values", () => {
  const items = ["<&>", 1, undefined, markup`<b>'</b>`];
  assertEquals(
    markup`<p title="${'"'}">${items}</p>`.text,
    '<p title="&quot;">&lt;&amp;&gt;1<b>\'</b></p>',
  );
});
