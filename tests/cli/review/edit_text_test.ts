import { assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { editText } from "../../../src/cli/review/review_parts.ts";

const EXTRACTOR = { type: "regex", name: "id", expression: 'a: "(\\d+)" # x', index: 2 };

Deno.test("editText writes the extractor as YAML, and its source and consumers as comments", () => {
  const text = editText({
    call: "request 1 (GET /a)",
    extractor: EXTRACTOR,
    write: "${id}",
    consumers: ["request 2 (GET /b)", "request 2 (GET /b)"],
  });
  assertEquals(parse(text), { extract: [EXTRACTOR] });
  assertEquals(text.split("\n").filter((line) => line.startsWith("#")), [
    "# request 1 (GET /a)",
    "# request 2 (GET /b): write this instead of the value",
    "# ${id}",
  ]);
});

Deno.test("editText keeps recorded line breaks out of comments", () => {
  const call = "request 1 (GET /a\nscenarios: {})";
  const text = editText({ call, extractor: EXTRACTOR, write: "${id}", consumers: [call, call] });
  assertEquals(parse(text), { extract: [EXTRACTOR] });
});

Deno.test("editText lists at most three consumers", () => {
  const consumers = ["a", "b", "c", "d", "e"];
  const text = editText({ call: "x", extractor: EXTRACTOR, write: "${id}", consumers });
  assertEquals(text.split("\n").at(-2), "# a, b, c and 2 more: write this instead of the value");
});
