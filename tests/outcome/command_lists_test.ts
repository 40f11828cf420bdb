import { assertEquals } from "@std/assert";
import { compareCommands } from "../../src/outcome/command_lists.ts";
import { describeDifference } from "../../src/outcome/difference.ts";

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
  Deno.test(`compareCommands ${verb} ${name}`, () => {
    assertEquals(compareCommands(recorded, live).map(describeDifference), differences);
  });
}
