import { assertEquals } from "@std/assert";
import { readLiteral } from "../../src/outcome/command_lists.ts";

Deno.test("readLiteral reads lists and objects in JavaScript notation", () => {
  const literal = `{"rs":[["set",[{$u:'w\\'1'},"a",-1.5e3,true,null,undefined,],],], 7:.5}`;
  assertEquals(readLiteral(literal), {
    rs: [["set", [{ $u: "w'1" }, "a", -1500, true, null, null]]],
    7: .5,
  });
  assertEquals(readLiteral(" [ ] "), []);
});

for (
  const text of [
    ...["", "text", "'a'", "[core]\nname = tea", "{a:function(){}}", "{a:b}", "{a:1", "[1 2]"],
    ...["[1],", "{a:1}}", "{a}", "[,]", "{a:'\n'}", "[".repeat(100_000)],
  ]
) {
  Deno.test(`readLiteral returns undefined for ${JSON.stringify(text.slice(0, 20))}`, () => {
    assertEquals(readLiteral(text), undefined);
  });
}

Deno.test("readLiteral does not change the prototype of an object", () => {
  assertEquals(Object.keys(readLiteral("{__proto__:{a:1}}") as object), ["__proto__"]);
});
