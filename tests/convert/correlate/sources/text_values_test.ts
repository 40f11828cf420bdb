import { assertEquals } from "@std/assert";
import { leftWord, locateQuoted } from "../../../../src/convert/correlate/sources/text_values.ts";

const isId = (word: string) => /^(?:k7TB|gQIZ).$/.test(word);

function locate(text: string, value: string) {
  return locateQuoted(text, text.indexOf(value), value.length, isId);
}

Deno.test("locateQuoted uses the word before the value if it is unique", () => {
  assertEquals(locate("[['List','k7TB1'],['Row','k7TB2'],{u:'k7TB2'}]", "k7TB2"), {
    type: "boundary",
    left: "Row','",
    right: "'",
  });
});

Deno.test("locateQuoted uses the shortest text after the value otherwise", () => {
  const text = "[['B','k7TB1',{on:1,label:'Log in'}],['B','k7TB2',{on:1,label:'Log out'}]]";
  assertEquals(locate(text, "k7TB1"), {
    type: "regex",
    expression: "B','([^']+)',\\{on:1,label:'Log in'",
  });
});

Deno.test("locateQuoted ignores further occurrences of the value", () => {
  assertEquals(locate("go('k7TB1',1);go('k7TB1',1)", "k7TB1"), {
    type: "boundary",
    left: "go('",
    right: "'",
  });
});

Deno.test("locateQuoted does not use text beyond the value's list, or other ids", () => {
  const text = "x:'a';[['B','gQIZ1'],['a'],['B','gQIZ2'],['b']]";
  assertEquals(locate(text, "gQIZ2"), {
    type: "boundary",
    left: "a'],['B','",
    right: "'",
  });
  assertEquals(locate("['gQIZ1','gQIZ2','gQIZ3']", "gQIZ3"), undefined);
});

Deno.test("leftWord skips character references", () => {
  const text = "run(&#39;k7TB1&#39;)";
  assertEquals(leftWord(text, text.indexOf("k7TB1")), "run(&#39;");
});
