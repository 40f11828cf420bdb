import { assertEquals } from "@std/assert";
import { describeDifference } from "../../src/outcome/difference.ts";
import { compareWritten } from "../../src/outcome/json_outcome.ts";
import { readLiteral } from "../../src/outcome/leaves.ts";

const SET = ["set", { value: 1 }];
const ADD = ["add", ["list", { label: "Tea" }]];
const HINT = ["set", { hint: "exists already" }];

const CASES: Record<string, [recorded: unknown, live: unknown, differences: string[]]> = {
  "a missing command": [[ADD, SET], [HINT], ["commands: only recorded: add"]],
  "no commands instead of some": [{ rs: [SET] }, { rs: [] }, ["commands: only recorded: set"]],
  "another command": [{ rs: [ADD] }, { rs: [HINT] }, [
    "commands: only recorded: add; only live: set",
  ]],
  "a missing command in a list of objects": [
    [{ command: "insert" }, { command: "settings" }],
    [{ command: "settings" }],
    ["commands: only recorded: insert"],
  ],
  "a new command that shows an error": [
    { rs: [ADD] },
    { rs: [ADD, ["showError", {}]] },
    ["commands: only live: showError"],
  ],
  "a new command that removes an error": [{ rs: [ADD] }, { rs: [["clearError", {}], ADD] }, []],
  "another number of commands": [{ rs: [ADD, SET] }, { rs: [SET, ADD, ADD, ["page", {}]] }, []],
  "the rows of a table": [{ rows: [["Assam", 1], ["Sencha", 2]] }, { rows: [["Sencha", 2]] }, []],
  "rows with text instead of names": [[["Black tea", {}]], [["Green tea", {}]], []],
  "objects without a command": [{ rows: [{ type: "tea" }] }, { rows: [{ type: "cake" }] }, []],
  "a list instead of an object": [{ rs: [ADD] }, { rs: { add: 1 } }, []],
  "lists within lists": [[{ rs: [ADD] }], [{ rs: [SET] }], []],
};

for (const [name, [recorded, live, differences]] of Object.entries(CASES)) {
  const verb = differences.length === 0 ? "ignores" : "reports";
  Deno.test(`compareWritten ${verb} ${name}`, () => {
    const found = compareWritten(recorded, live).filter(({ kind }) => kind === "command");
    assertEquals(found.map(describeDifference), differences);
  });
}

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
