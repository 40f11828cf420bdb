import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Cutter, fill, type Template } from "../../../src/verify/mock/cutter.ts";

const TOKEN = "9f86d0/81884c7d=";
const BACKSLASHED = "5a5a5a5a5a+\\";
const VALUES = new Set([TOKEN, BACKSLASHED, "4711", "42", "0b3c5d7e9f1a2b4c"]);
const FRESH: Record<string, string> = {
  [TOKEN]: "aaaa/&bbbb=",
  [BACKSLASHED]: "b6b6b6b6b6+\\",
  "4711": "1234",
  "42": "17",
  "0b3c5d7e9f1a2b4c": "ffffffffffffffff",
};
const cutter = new Cutter(VALUES);
const fresh = (template: Template) => fill(template, (rawValue) => FRESH[rawValue]);

const TEXTS: [text: string, filled: string][] = [
  ['<input name="id" value="42"> 42 of 142', '<input name="id" value="17"> 42 of 142'],
  ["<a href=/orders/4711>14711</a>", "<a href=/orders/1234>14711</a>"],
  ["0b3c5d7e9f1a2b4c 0b3c5d7e9f1a2b4cx", "ffffffffffffffff 0b3c5d7e9f1a2b4cx"],
  [`t=${encodeURIComponent(TOKEN)};`, `t=${encodeURIComponent(FRESH[TOKEN])};`],
  [`<b>${TOKEN}</b>`, `<b>${FRESH[TOKEN]}</b>`],
  [`<input value="${BACKSLASHED}"/>`, `<input value="${FRESH[BACKSLASHED]}"/>`],
  [`{"t":"5a5a5a5a5a+\\\\"}`, `{"t":"b6b6b6b6b6\\u002b\\u005c"}`],
  ['var t = "9f86d0\\/81884c7d\\u003d";', 'var t = "aaaa\\u002f\\u0026bbbb\\u003d";'],
];

const JSONS: [text: string, filled: string][] = [
  ['{"id": 42, "qty": 42, "ids": [4711, "4711"]}', '{"id": 17, "qty": 42, "ids": [1234, "1234"]}'],
  ['{"price": 42.5, "n": -4711, "at": 4711e0}', '{"price": 42.5, "n": -4711, "at": 4711e0}'],
  [`{"t":"9f86d0\\/81884c7d="}`, '{"t":"aaaa/&bbbb="}'],
  [
    '{"0b3c5d7e9f1a2b4c": "see 0b3c5d7e9f1a2b4c!"}',
    '{"0b3c5d7e9f1a2b4c": "see ffffffffffffffff!"}',
  ],
  [
    '{"inner": "{\\"id\\":\\"0b3c5d7e9f1a2b4c\\"}"}',
    '{"inner": "{\\"id\\":\\"ffffffffffffffff\\"}"}',
  ],
];

Deno.test("Cutter.text replaces whole values in pages and scripts, in any encoding", () => {
  for (const [text, filled] of TEXTS) assertEquals(fresh(cutter.text(text)), filled);
});

Deno.test("Cutter.json replaces leaf values and keeps all other text unchanged", () => {
  for (const [text, filled] of JSONS) assertEquals(fresh(cutter.json(text)), filled);
});

Deno.test("a Cutter.json template filled with the recorded values parses to the recorded JSON", () => {
  const leaf = fc.oneof(fc.constantFrom(...VALUES), fc.string(), fc.integer(), fc.double());
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("node")),
      fc.dictionary(fc.string(), tie("node")),
    ),
  })).node;
  fc.assert(fc.property(tree, fc.nat(2), (value, indent) => {
    const text = JSON.stringify(value, null, indent);
    assertEquals(JSON.parse(fill(cutter.json(text), String)), JSON.parse(text));
  }));
});
