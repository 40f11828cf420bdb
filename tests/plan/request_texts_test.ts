import { assertEquals } from "@std/assert";
import { mapRequestTexts, requestTexts } from "../../src/plan/request_texts.ts";
import type { Request } from "../../src/plan/kinds/request.ts";

const REQUEST: Request = {
  name: "n",
  url: "https://h.example/orders/${id}/lines?page=2&q",
  params: { tag: ["a", "b"], size: 3 },
  headers: { Referer: "https://h.example/orders", Accept: null as never },
  body: { json: { order_id: 7, lines: [{ sku: "x1" }], open: true, note: null } },
  extract: [{ type: "jsonpath", name: "v", expression: "$.id" }],
  tags: { recorded: "3" },
};

Deno.test("requestTexts lists each string that a request sends, with its kind, field name and resource", () => {
  const texts = requestTexts(REQUEST);
  assertEquals(texts.map(({ kind, name, template }) => [kind, name, template]), [
    ["path", "", "orders"],
    ["path", "orders", "${id}"],
    ["path", "${id}", "lines"],
    ["query", "page", "2"],
    ["query", "", "q"],
    ["host", "", "https://h.example"],
    ["query", "tag", "a"],
    ["query", "tag", "b"],
    ["query", "size", "3"],
    ["header", "Referer", "https://h.example/orders"],
    ["json", "order_id", "7"],
    ["json", "sku", "x1"],
  ]);
  assertEquals(new Set(texts.map(({ resource }) => resource)), new Set(["lines"]));
  assertEquals(texts.filter(({ numeric }) => numeric).map(({ name }) => name), ["order_id"]);
});

Deno.test("mapRequestTexts changes only strings that the request sends, not its extractors or tags", () => {
  assertEquals(mapRequestTexts(REQUEST, ({ template }) => template), REQUEST);
  const mapped = mapRequestTexts(
    REQUEST,
    ({ kind, template, name }) =>
      kind === "path" && name === "orders" ? "9" : name === "order_id" ? 8 : template,
  );
  assertEquals(mapped.url, "https://h.example/orders/9/lines?page=2&q");
  assertEquals(mapped.body, {
    json: { order_id: 8, lines: [{ sku: "x1" }], open: true, note: null },
  });
  assertEquals([mapped.extract, mapped.tags], [REQUEST.extract, REQUEST.tags]);
});

Deno.test("mapRequestTexts writes a form as a list if the name of a field changes", () => {
  const form: Request = { url: "/", body: { form: { "image-1-title": "a", b: ["1", "2"] } } };
  assertEquals(requestTexts(form).map(({ kind, template }) => `${kind} ${template}`), [
    ...["form-name image-1-title", "form-name b", "form-name b", "form a", "form 1", "form 2"],
  ]);
  assertEquals(mapRequestTexts(form, ({ template }) => template), form);
  assertEquals(mapRequestTexts(form, ({ template }) => template.replace("-1-", "-${id}-")).body, {
    form: [["image-${id}-title", "a"], ["b", "1"], ["b", "2"]],
  });
});

Deno.test("mapRequestTexts maps the names of JSON members that contain an expression", () => {
  const request: Request = {
    url: "/",
    body: { json: { "${id}.open": "${id}", rows: [{ "${id}": 1 }], "a.open": "a" } },
  };
  const written = mapRequestTexts(request, ({ template }) => template.replaceAll("${id}", "a"));
  assertEquals(written.body, { json: { "a.open": "a", rows: [{ a: 1 }] } });
  assertEquals(requestTexts(request).map(({ kind, template }) => `${kind} ${template}`), [
    "json-name ${id}.open",
    "json ${id}",
    "json-name ${id}",
    "json 1",
    "json a",
  ]);
});

Deno.test("mapRequestTexts maps the strings of multipart and plain-text bodies", () => {
  const upload: Request = {
    url: "/",
    body: { multipart: [{ name: "f", value: "text", filename: "a.txt" }] },
  };
  assertEquals(requestTexts(upload).map(({ template }) => template), ["f", "text", "a.txt"]);
  const upper = (request: Request) =>
    mapRequestTexts(request, ({ template }) => template.toUpperCase()).body;
  assertEquals(upper(upload), { multipart: [{ name: "F", value: "TEXT", filename: "A.TXT" }] });
  assertEquals(upper({ url: "/", body: "text" }), "TEXT");
});

Deno.test("an expression in a URL is not split at the operators that it contains", () => {
  const url = "https://h.example/a/${n / 2}/${x ?? 1}?q=${a == b}&r=${vars.c}";
  const request: Request = { url };
  assertEquals(mapRequestTexts(request, ({ template }) => template), request);
  assertEquals(requestTexts(request).map(({ kind, name, template }) => [kind, name, template]), [
    ["path", "", "a"],
    ["path", "a", "${n / 2}"],
    ["path", "${n / 2}", "${x ?? 1}"],
    ["query", "q", "${a == b}"],
    ["query", "r", "${vars.c}"],
    ["host", "", "https://h.example"],
  ]);
});
