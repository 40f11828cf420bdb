import { assertEquals } from "@std/assert";
import type { Request } from "../../src/plan/kinds/request.ts";
import { literal, parseTemplate } from "../../src/plan/text/template.ts";
import { replaceSearch } from "../../src/calibrate/unique_trial.ts";

Deno.test("replaceSearch percent-encodes the text that replaces a search term in a URL, including the values of expressions in that text", () => {
  const url = (template: string) =>
    replaceSearch({ url: "/s?q=tea+pot&page=1" }, "tea pot", template).url;
  assertEquals(url("Tea & pot ${unique}"), "/s?q=Tea%20%26%20pot%20${unique}&page=1");
  assertEquals(url("${uuid(a)} ${vars.x}"), "/s?q=${uuid(a)}%20${url_encode(vars.x)}&page=1");
  assertEquals(url('${upper("a}")}'), '/s?q=${url_encode(upper("a}"))}&page=1');
  assertEquals(url("${url_encode(name)}"), "/s?q=${url_encode(name)}&page=1");
  for (const text of ["costs ${price}", "$", "a$${unique}", "100 % & +?#", "\ud800x", "ü"]) {
    const changed = url(literal(text) + " ${unique}");
    const parts = parseTemplate(changed.slice("/s?q=".length, -"&page=1".length));
    assertEquals(parts.map(({ kind }) => kind), ["text", "unique"]);
    const [first] = parts;
    assertEquals(
      first.kind === "text" && decodeURIComponent(first.text),
      `${text.toWellFormed()} `,
    );
  }
});

Deno.test("replaceSearch does not encode the new text in `params`, and replaces only whole parameter values", () => {
  const request: Request = {
    url: "/tea?other=cup&q=tea",
    params: { q: "tea", r: "teapot" },
    body: { form: { q: "tea" } },
  };
  assertEquals(replaceSearch(request, "tea", "$${x} ${unique}"), {
    ...request,
    url: "/tea?other=cup&q=%24%7Bx%7D%20${unique}",
    params: { q: "$${x} ${unique}", r: "teapot" },
  });
});
