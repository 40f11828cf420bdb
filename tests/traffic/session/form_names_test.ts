import { assertEquals } from "@std/assert";
import { FormNames, numbersInName } from "../../../src/traffic/session/body_fields.ts";

/** Returns the parts of each name in the last of several forms, as `number: name of the part`. */
function partsIn(...forms: readonly Record<string, string>[]): Record<string, string[]> {
  const names = new FormNames();
  const fields = forms.map((form) => {
    const field = names.add(Object.entries(form).map(([name, value]) => ({ name, value })));
    return Object.keys(form).map((name) => field(name));
  });
  return Object.fromEntries(
    fields.at(-1)!.map((field) => [
      field.value,
      field.parts().map(({ start, end, name }) => `${field.value.slice(start, end)}: ${name}`),
    ]),
  );
}

Deno.test("numbersInName finds numbers of one to three digits between separators", () => {
  const found = (name: string) => numbersInName(name).map(({ value, title }) => [value, title]);
  assertEquals(found("item[12][line][3]"), [["12", "item"], ["3", "item[12][line"]]);
  assertEquals(found("Object-RT::Ticket-2-x"), [["2", "Object-RT::Ticket"]]);
  assertEquals(found("items.12.name"), [["12", "items"]]);
  assertEquals(found("12_a"), [["12", ""]]);
  for (const name of ["item12", "12th", "a-1234", "a[1.12]", "a-012", "é7", "a-12é"]) {
    assertEquals(found(name), [], name);
  }
  assertEquals(found(`${"a-".repeat(100)}12`), []);
});

Deno.test("a number in the name of a form field is a part, unless names contain positions", () => {
  assertEquals(partsIn({ "item[12]": "", "row[0]": "", "row[2]": "", "12": "" }), {
    "item[12]": ["12: item"],
    "row[0]": [],
    "row[2]": [],
    "12": [],
  });
  assertEquals(partsIn({ "item[1]": "" }, { "item[12]": "" }), { "item[12]": [] });
});

Deno.test("a number in a name follows the id of its form if another form has `new` in its place", () => {
  const form = { id: "1", "1-Owner": "" };
  assertEquals(partsIn({ "new-Owner": "" }, form)["1-Owner"], ["1: id"]);
  assertEquals(partsIn({ "renew-Owner": "" }, form)["1-Owner"], []);
  assertEquals(partsIn({ "new-Owner": "", "2-Owner": "" }, form)["1-Owner"], []);
  assertEquals(partsIn({ "new-Owner": "" }, { size: "1", "1-Owner": "" })["1-Owner"], []);
});

Deno.test("a number in a name follows the id of its form if the forms have different ids", () => {
  const [first, second] = ["1", "2"].map((id) => ({ id, [`${id}-Owner`]: "" }));
  assertEquals(partsIn(first, second)["2-Owner"], ["2: id"]);
  assertEquals(partsIn(first, first)["1-Owner"], []);
  const rows = { "line[1]": "", "line[2]": "" };
  assertEquals(partsIn({ id: "1", ...rows }, { id: "2", ...rows })["line[2]"], []);
});
