import { assert } from "@std/assert";

/**
 * Files whose `@example` blocks run as tests. To add an example, write a `ts` code block that
 * imports what it needs (the file itself as `./its_name.ts`) and asserts its results. Then list the
 * file here. All files run in one `deno test --doc`, without type checks, which would take most of
 * the time.
 */
const FILES = [
  ...["src/base/format.ts", "src/base/nearest.ts", "src/base/redactor.ts", "src/base/safe_text.ts"],
  ...["src/extract/jsonpath.ts", "src/extract/parse_html.ts", "src/convert/from_accesslog.ts"],
  ...["src/convert/from_har.ts", "src/engine/run_plan.ts", "src/plan/load_plan.ts"],
  ...["src/plan/override.ts", "src/plan/partition.ts", "src/plan/print.ts"],
  ...["src/plan/text/template.ts", "src/plan/rules/thresholds.ts", "src/verify/verify_plan.ts"],
];

Deno.test("the examples in docstrings run without errors", async () => {
  const permissions = ["--no-prompt", "--allow-read"];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--doc", "--frozen", "--no-check", ...permissions, ...FILES],
    env: { NO_COLOR: "1" },
  }).output();
  const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert(success, output + errors);
  for (const file of FILES) {
    assert(output.includes(`/${file}#`), `${file} has no example:\n${output}`);
  }
});
