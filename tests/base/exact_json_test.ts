import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ExactNumber, isAsWritten, parseExactJson } from "../../src/base/exact_number.ts";
import { jsonNumbers } from "../builders/json_numbers.ts";

const space = fc.constantFrom("", " ", "\n", "\t \r\n");

Deno.test("parseExactJson keeps the original text of every number", () => {
  fc.assert(fc.property(fc.array(jsonNumbers), space, (numbers, gap) => {
    const text = (gap: string) =>
      `{"n":[${numbers.map((number) => number + gap).join(",")}],"s":"1.10,","m":{"k":1}${gap}}`;
    assertEquals(JSON.stringify(parseExactJson(text(gap))), text(""));
  }));
  fc.assert(fc.property(jsonNumbers, space, (number, gap) => {
    assertEquals(JSON.stringify(parseExactJson(number + gap)), number);
  }));
});

Deno.test("parseExactJson returns the same value as JSON.parse if JavaScript prints all numbers as written", () => {
  const text =
    '{"a":9007199254740991,"b":[0.5,-3,0.000001,123456.75],"c":"1e5","d":"9007199254740993"}';
  assertEquals(parseExactJson(text), JSON.parse(text));
  fc.assert(fc.property(fc.json(), (text) => {
    const doubles = JSON.stringify(
      parseExactJson(text),
      (_, value) => value instanceof ExactNumber ? Number(value.text) : value,
    );
    assertEquals(JSON.parse(doubles), JSON.parse(JSON.stringify(JSON.parse(text))));
  }));
});

Deno.test("isAsWritten is true only if JavaScript prints all numbers as written", () => {
  fc.assert(fc.property(jsonNumbers, space, (number, gap) => {
    const text = `{"s":"x","n":${number}${gap}}`;
    const { s, n } = JSON.parse(text);
    const isExact = JSON.stringify(n) === number;
    assert(isAsWritten(s, text));
    assert(isExact || !isAsWritten(n, text));
    assert(isExact || !isAsWritten(JSON.parse(text), text));
  }));
  assert(isAsWritten(7, '{"n":7,"price":12.25,"at":"2024-01-01T10:00:00.000Z"}'));
});
