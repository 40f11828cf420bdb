import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { planFiles } from "../../src/cli/plan_files.ts";
import { formatPath } from "../../src/plan/diagnostic.ts";
import { loadPlan } from "../../src/plan/load.ts";

const PLANS = new URL("../../testdata/plans/", import.meta.url).pathname;
const BROKEN = `${PLANS}broken/`;

/** One line a diagnostic, as the `.expected` files beside the broken plans have them. */
async function faultsOf(path: string): Promise<string[]> {
  const { plan, diagnostics } = await loadPlan(Deno.readFileSync(path), { files: planFiles(path) });
  assertEquals(plan === undefined, diagnostics.some(({ severity }) => severity === "error"));
  return diagnostics.map(({ line, column, severity, code, path }) =>
    `${line}:${column} ${severity} ${code} ${formatPath(path)}`.trimEnd()
  );
}

for (const { name } of Deno.readDirSync(BROKEN)) {
  if (!name.endsWith(".yaml")) continue;
  Deno.test(`everything wrong with ${name} is found, each fault at its place`, async () => {
    const expected = Deno.readTextFileSync(BROKEN + name.replace(/yaml$/, "expected"));
    assertEquals((await faultsOf(BROKEN + name)).join("\n") + "\n", expected);
  });
}

Deno.test("a plan with every key has nothing wrong", async () => {
  assertEquals(await faultsOf(`${PLANS}every_key.yaml`), []);
});

Deno.test("files are looked for only when asked", async () => {
  const plan = Deno.readTextFileSync(`${BROKEN}data.yaml`);
  const codes = (await loadPlan(plan)).diagnostics.map(({ code }) => code);
  assert(!codes.includes("missing-file"));
});

Deno.test("a byte order mark is no fault", async () => {
  const { plan } = await loadPlan(Deno.readFileSync(`${PLANS}every_key.yaml`));
  const marked = "\ufeff" + Deno.readTextFileSync(`${PLANS}every_key.yaml`);
  assertEquals((await loadPlan(marked)).plan, plan);
  assertEquals((await loadPlan(new TextEncoder().encode(marked))).plan, plan);
});

const everyKey = Deno.readTextFileSync(`${PLANS}every_key.yaml`);
const lines = everyKey.split("\n");
const snippet = fc.constantFrom(
  ...[
    "&a",
    "*a",
    "*home",
    "!!str",
    "<<: *home",
    "- ",
    "? ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "\t",
    "|",
    ">",
    "%",
  ],
  ...[
    "__proto__: {}",
    "toString: {}",
    "constructor: 1",
    "---\n",
    "...",
    '"',
    "'",
    "\0",
    "\ud800",
    "\x85",
  ],
  ...["${", "$${", "}", "null", ".nan", "1e999", "0x", "~", "executor: x", "type: json", "flow:"],
);
const mutated = fc.array(
  fc.tuple(fc.nat(lines.length - 1), fc.oneof(snippet, fc.string()), fc.constantFrom(0, 1, 2, 3)),
  { maxLength: 4 },
).map((edits) => {
  const text = [...lines];
  for (const [line, insert, how] of edits) {
    const before = text[line] ?? "";
    const colon = before.indexOf(":") + 1;
    text[line] = [before + insert, insert, before.slice(0, colon) + " " + insert, ""][how];
  }
  return text.join("\n");
});

Deno.test("whatever the text, there comes a plan or diagnostics", async () => {
  const anything = fc.oneof(
    mutated,
    fc.string({ unit: "binary" }),
    fc.array(snippet).map((s) => s.join("")),
  );
  await fc.assert(
    fc.asyncProperty(anything, async (text) => {
      const { plan, diagnostics } = await loadPlan(text);
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      assertEquals(plan === undefined, errors.length > 0);
      for (const { line, column, message } of diagnostics) {
        assert(line >= 1 && column >= 1 && message !== "" && !message.includes("Invalid input"));
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("whatever the bytes, there comes a plan or diagnostics", async () => {
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
    const { plan, diagnostics } = await loadPlan(bytes);
    assertEquals(plan === undefined, diagnostics.some(({ severity }) => severity === "error"));
  }));
});
