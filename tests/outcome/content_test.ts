import { assertEquals } from "@std/assert";
import { ResponseSnapshot } from "../../src/comparison/response_snapshot.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";
import { compareContent } from "../../src/outcome/content.ts";
import { describeDifference } from "../../src/outcome/difference.ts";
import { compareWritten } from "../../src/outcome/json_outcome.ts";
import { readLiteral } from "../../src/outcome/leaves.ts";

function snapshot(mimeType: string, text: string, headers: Record<string, string> = {}) {
  return new ResponseSnapshot({
    status: 200,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    mimeType,
    text,
  });
}
const json = (value: unknown) => snapshot("application/json", JSON.stringify(value));
const page = (text: string) => snapshot("text/html", `<html><body>${text}</body></html>`);

function differences(
  recorded: ResponseSnapshot,
  live: ResponseSnapshot,
  pairs: readonly (readonly [string, string])[] = [],
): string[] {
  const known = new KnownPairs();
  for (const [recorded, live] of pairs) known.add(recorded, live);
  return compareContent({ recorded, live, known }, (text) => text.replaceAll("s3cret", "********"))
    .map(({ kind, place, recorded, live }) => `${kind}: ${place}: ${recorded} -> ${live}`);
}

Deno.test("compareContent reports emptied JSON lists and objects, and no other changes", () => {
  const recorded = { state: "open", items: [{ name: "Tea" }, { name: "Rum" }], by: { ann: 1 } };
  assertEquals(differences(json(recorded), json({ state: "shut", items: [], by: {} })), [
    "empty list: $.items: 2 items -> 0 items",
    "empty list: $.by: 1 member -> 0 members",
  ]);
  assertEquals(differences(json([{ name: "Tea" }]), json([])), [
    "empty list: $: 1 item -> 0 items",
  ]);
  assertEquals(differences(json({ data: { rows: [1] } }), json({ data: { rows: null } })), [
    "empty list: $.data.rows: 1 item -> null",
  ]);
  const [tea, rum] = [{ id: 71_001, name: "Tea" }, { id: 71_002, name: "Rum" }];
  assertEquals(differences(json([tea, rum]), json([rum])), []);
  assertEquals(differences(json({ all: [] }), json({ all: [tea] })), []);
});

Deno.test("compareContent compares each item of a list with its own recorded item", () => {
  const orders = (...lines: string[][]) => ({
    orders: lines.map((lines, i) => ({ id: i + 1, lines })),
  });
  assertEquals(
    differences(json(orders(["kettle"], ["kettle"])), json(orders(["kettle"], []))),
    ["empty list: $.orders[1].lines: 1 item -> 0 items"],
  );
});

Deno.test("compareContent ignores an object whose name a server generates", () => {
  const byId = (id: string) => json({ jobs: { [id]: { log: "done" } } });
  assertEquals(differences(byId("k3x9qq7z"), byId("m7w2pp4a")), []);
});

Deno.test("compareContent finds empty lists in a page, and in a page within JSON", () => {
  const rows = "<tr><td>Tea</td><td>4 kg</td></tr><tr><td>Rum</td><td>2 kg</td></tr>";
  const table = (rows: string) => `<table><tr><th>Name</th></tr>${rows}</table>`;
  assertEquals(
    differences(page(`<h1>Stock</h1>${table(rows)}`), page(`<h1>Shop</h1>${table("")}`)),
    ["empty list: <tr>: Tea 4 kg Rum 2 kg -> "],
  );
  assertEquals(differences(json({ html: table(rows) }), json({ html: table("") })), [
    "empty list: $.html <tr>: Tea 4 kg Rum 2 kg -> ",
  ]);
  // The same rows in another element only moved.
  assertEquals(differences(page(table(rows)), page(`<div>${table(rows)}</div>`)), []);
});

Deno.test("compareContent ignores other items, the order of items, and echoes of known values", () => {
  const rows = (...names: string[]) =>
    page(`<ul>${names.map((n) => `<li>${n}</li>`).join("")}</ul>`);
  assertEquals(differences(rows("Tea", "Rum", "Mate"), rows("Mate", "Tea", "Rum")), []);
  assertEquals(differences(rows("Tea"), rows("Rum")), []);
  assertEquals(
    differences(rows("Earl Grey"), page("<p>Earl Grey xk3f9a2q</p>"), [
      ["Earl Grey", "Earl Grey xk3f9a2q"],
    ]),
    [],
  );
});

Deno.test("compareContent finds text that reads like a refusal", () => {
  assertEquals(differences(page("<p>Tea</p>"), page("<p>Tea</p><p>The e-mail is invalid.</p>")), [
    "refusal: text:  -> The e-mail is invalid.",
  ]);
  assertEquals(
    differences(json({ data: { errors: [] } }), json({ data: { errors: [{ at: "line 11" }] } })),
    ["refusal: text:  -> line 11"],
  );
});

Deno.test("compareContent hides secrets in text, and then shortens it", () => {
  const row = (text: string) => page(`<ul>${text && `<li>${text}</li>`}</ul>`);
  assertEquals(differences(row(`${"word ".repeat(19)}s3cret`), row("")), [
    `empty list: <li>: ${"word ".repeat(19)}*****… -> `,
  ]);
});

Deno.test("compareContent accepts JSON that is nested too deeply for recursion", () => {
  const nested = (inner: string) =>
    snapshot(
      "application/json",
      `{"text": "a failed word", "errors": ${"[".repeat(20_000)}${inner}${"]".repeat(20_000)}}`,
    );
  const [flat, text] = [json({ text: "no word", errors: [] }), json({ text: "b", errors: "none" })];
  const refusal = "refusal: text:  -> a failed word";
  assertEquals(differences(flat, nested("")), [refusal]);
  assertEquals(differences(text, nested("")), [refusal]);
  assertEquals(differences(nested("1"), nested('"x"')), ["refusal: text:  -> x"]);
});

Deno.test("compareContent compares other responses to the same read request only if some text reads like a refusal", () => {
  let reads = 0;
  const other = page("<p>Access denied</p>");
  const alike = [
    new Proxy(other, {
      get: (target, name) => (reads++, Reflect.get(target, name, target)),
    }),
  ];
  const differing = (text: string) =>
    compareContent(
      {
        recorded: page("<p>Welcome</p>"),
        live: page(`<p>${text}</p>`),
        known: new KnownPairs(),
        alike,
      },
      (text) => text,
    ).map(({ kind }) => kind);
  assertEquals([differing("Good day"), reads], [[], 0]);
  assertEquals(differing("Access denied"), []);
  assertEquals(differing("Session expired"), ["refusal"]);
});

Deno.test("compareContent finds a text that stayed although the user sent another", () => {
  const pairs = [["Black tea", "Black tea x1"]] as const;
  const [named, listed] = [{ name: "Black tea" }, { all: ["Black tea"] }];
  const heading = page("<h1>Black tea</h1>");
  assertEquals(differences(json(named), json(named), pairs), [
    "earlier text: $.name: Black tea -> Black tea",
  ]);
  assertEquals(differences(heading, page("<h1>Black tea</h1><hr>"), pairs), [
    "earlier text: <h1>: Black tea -> Black tea",
  ]);
  const list = (rest: string) => page(`<ul><li>Black tea</ul>${rest}`);
  assertEquals(differences(list(""), list("<hr>"), pairs), []);
  assertEquals(differences(json(listed), json(listed), pairs), []);
  const teas = (...names: string[]) =>
    json(Object.fromEntries(names.map((name) => [name, { name, from: "Assam" }])));
  const own = [["mint", "mint_x1"]] as const;
  assertEquals(differences(teas("mint"), teas("mint", "mint_x1"), own), []);
});

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
