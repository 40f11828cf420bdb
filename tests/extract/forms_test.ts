import { assertEquals } from "@std/assert";
import { findDefaultOptions } from "../../src/extract/forms.ts";

const PAGES: Record<string, [page: string, expected: string[]]> = {
  "the first option": ["<select name=a><option value=7>x<option value=9>y</select>", ["7"]],
  "the selected option": ["<select name=a><option>x</option><option selected>y</select>", ["y"]],
  "the last of several selected options": [
    "<select name=a><option selected value=1>x<option selected value=2>y</select>",
    ["2"],
  ],
  "all selected options if several are allowed": [
    "<select name=a multiple><option selected>x<option>y<option selected>z</select>",
    ["x", "z"],
  ],
  "none if several are allowed and none is selected": [
    "<select name=a multiple><option>x</select>",
    [],
  ],
  "none of a list box without a selected option": [
    "<select name=a size=3><option>x</select>",
    [],
  ],
  "none if the selected option is disabled": [
    "<select name=a><option selected disabled>x<option>y</select>",
    [],
  ],
  "the first option outside a disabled group": [
    "<select name=a><optgroup disabled><option>x</optgroup><option>y</select>",
    ["y"],
  ],
  "none without a name or if the element is disabled": [
    "<select><option>x</select><select name=a disabled><option>y</select>",
    [],
  ],
  "none of a select without options": ["<select name=a></select><option>x</option>", []],
  "an option in single quotes with character references": [
    `<SELECT NAME='a&amp;b'><OPTION VALUE='&lt;"7"&gt;'>x</SELECT>`,
    ['<"7">'],
  ],
  "a text with white space": ["<select name=a><option>\n x &amp;\n  y\n</select>", ["x & y"]],
  "two elements of the same name": [
    "<select name=a><option>x<option>y</select><select name=a><option>z</select>",
    ["x", "z"],
  ],
  "an element that is not closed": ["<select name=a><option value=7", []],
};

for (const [what, [page, expected]] of Object.entries(PAGES)) {
  Deno.test(`findDefaultOptions returns ${what}`, () => {
    const found = findDefaultOptions(page)!;
    assertEquals(found.map(({ value }) => value), expected);
  });
}

Deno.test("findDefaultOptions returns the offset of each value", () => {
  const page = '<select name=a><option  class="value" Value = "7">x</select>' +
    "<select name=b><option value=8>y</select><select name=c><option>\n  zz</select>";
  const found = findDefaultOptions(page)!;
  assertEquals(found.map(({ at, value }) => page.slice(at, at + value.length)), ["7", "8", "zz"]);
});

Deno.test("findDefaultOptions reads many open elements and stops at a markup limit", () => {
  assertEquals(findDefaultOptions("<select name=a>".repeat(100_000)), []);
  const options = "<option selected value=1>".repeat(200_000);
  assertEquals(findDefaultOptions(`<select multiple name=a>${options}`)!.length, 200_000);
  assertEquals(findDefaultOptions(`<select>${"<b>".repeat(2_000)}`), undefined);
  assertEquals(findDefaultOptions("<select name=a><option value ".repeat(50_000))!.length, 1);
});

Deno.test("a short number that the text of an option shows is not an id, unless it is part of a word", () => {
  const mayBeId = (text: string) =>
    findDefaultOptions(`<select name=from><option value=1>${text}</select>`)![0].mayBeId;
  assertEquals(["Ada", "ada1 &lt;ada1@example.com>", "12", "v1"].map(mayBeId), [
    true,
    true,
    true,
    true,
  ]);
  assertEquals(["1", "No. 1", "1.", "(1)", "1-2"].map(mayBeId), [
    false,
    false,
    false,
    false,
    false,
  ]);
});
