import { assertEquals, assertStringIncludes } from "@std/assert";
import { CliFolder } from "../../support/cli_folder.ts";
import { parsedPlan } from "../../support/parsed_plan.ts";

const LINE = (path: string) =>
  `203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1\n`;
const FIRST = LINE("/a").repeat(3) + LINE("/b");
const SECOND = LINE("/a").repeat(3) + LINE("/b").repeat(2) + LINE("/c");
const CONVERT = "convert ./access.log";
const UPDATE = `${CONVERT} --update ./plan.yaml`;

Deno.test("convert --update writes a new plan and its base, and keeps edits and comments when run again", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  const created = await folder.run(UPDATE);
  assertEquals(created.code, 0);
  const text = folder.read("plan.yaml");
  assertEquals(folder.read("plan.yaml.base"), text);
  folder.write(
    "plan.yaml",
    text.replace("scenarios:", "# our load\nscenarios:").replace("name: GET /b", "name: B"),
  );
  folder.write("access.log", SECOND);
  const { code, stderr } = await folder.run(UPDATE);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, "updated ./plan.yaml: ");
  assertStringIncludes(stderr, " 0 conflicts\n");
  const updated = folder.read("plan.yaml");
  assertStringIncludes(updated, "# our load\n");
  assertStringIncludes(updated, "name: GET /c\n");
  assertStringIncludes(updated, "- weight: 2\n              name: B\n");
  const fresh = await folder.run(CONVERT);
  assertEquals(folder.read("plan.yaml.base"), fresh.stdout);
  const again = await folder.run(UPDATE);
  assertStringIncludes(again.stderr, ": 0 changes from the new conversion, ");
  assertEquals(folder.read("plan.yaml"), updated);
});

Deno.test("convert --update keeps a conflicting edit, shows both values, and fails with --strict", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const text = folder.read("plan.yaml");
  folder.write("plan.yaml", text.replace(/( rate: )[\d.]+/, "$150"));
  folder.write("access.log", SECOND);
  const { code, stderr } = await folder.run(`${UPDATE} --strict`);
  assertEquals(code, 3);
  assertStringIncludes(
    stderr,
    "warning[edit-conflict] scenarios.replayed_traffic.rate: kept your 50, but the new conversion has 6\n",
  );
  const plan = parsedPlan(folder.read("plan.yaml"));
  const [scenario] = Object.values(plan.scenarios);
  assertEquals("rate" in scenario && scenario.rate, 50);
  const json = await folder.run(`${UPDATE} --warnings json`);
  assertEquals(json.stderr.includes("next:"), false);
});

Deno.test("convert --update warns about a comment on lines that the new conversion removed", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const text = folder.read("plan.yaml");
  const comments = text.replace("url: /a\n", "url: /a # kept\n")
    .replace("url: /b\n", "url: /b # of b\n");
  folder.write("plan.yaml", comments);
  const { code, stderr } = await folder.run(
    `${UPDATE} --exclude /b --strict`,
  );
  assertEquals(code, 3);
  assertStringIncludes(
    stderr,
    'warning[edit-conflict] comment: the new conversion removed the lines that your comment "# of b" ' +
      "was attached to\n",
  );
  assertEquals(stderr.split("edit-conflict").length, 2);
  const updated = folder.read("plan.yaml");
  assertStringIncludes(updated, "url: /a # kept\n");
  assertEquals(updated.includes("of b"), false);
});

Deno.test("convert --update replaces only the comments of the earlier conversion at the start of the plan", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  for (const newline of ["\n", "\r\n"]) {
    folder.write("access.log", FIRST);
    await folder.run(UPDATE);
    const text = folder.read("plan.yaml");
    assertStringIncludes(text, "from an access log of 4 requests.\n");
    const edit = (plan: string) =>
      `# yaml-language-server: $schema=mine\n${plan}`.replace("\nname:", "\n# Ours: #1 \nname:");
    const edited = edit(text);
    folder.write("plan.yaml", edited.replaceAll("\n", newline));
    folder.write("access.log", SECOND);
    await folder.run(UPDATE);
    const updated = folder.read("plan.yaml");
    const fresh = (await folder.run(CONVERT)).stdout;
    assertEquals(updated, edit(fresh).replaceAll("\n", newline));
    await Deno.remove(`${folder.path}/plan.yaml`);
    await Deno.remove(`${folder.path}/plan.yaml.base`);
  }
});

Deno.test("convert --update keeps comments that you changed at the start of the plan", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const text = folder.read("plan.yaml");
  const edited = text.replace("# Use it to test", "# Do not use it to test");
  folder.write("plan.yaml", edited);
  folder.write("access.log", SECOND);
  const { stderr } = await folder.run(UPDATE);
  assertEquals(stderr.includes("edit-conflict"), false);
  const updated = folder.read("plan.yaml");
  assertEquals(updated.split("\nname:")[0], edited.split("\nname:")[0]);
});

Deno.test("convert --update needs the unedited plan, and writes nothing if the result is invalid", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(`${CONVERT} -o ./plan.yaml`);
  const text = folder.read("plan.yaml");
  const missing = await folder.run(UPDATE);
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stderr, "plan.yaml.base does not exist; add `--base FILE`");
  folder.write("base.yaml", text);
  const edited = text.replace(/weight: \d+/g, "weight: 0");
  folder.write("plan.yaml", edited);
  const invalid = await folder.run(`${UPDATE} --base ./base.yaml`);
  assertEquals(invalid.code, 1);
  assertEquals(folder.read("plan.yaml"), edited);
  const both = await folder.run(`${UPDATE} -o ./b.yaml`);
  assertEquals(both.code, 2);
  assertEquals((await folder.run(`${CONVERT} --base ./base.yaml`)).code, 2);
});

Deno.test("convert --update keeps the edits and the base if two options specify the same file", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  const edited = folder.read("plan.yaml").replace("name: GET /b", "name: B");
  folder.write("plan.yaml", edited);
  folder.write("access.log", SECOND);
  const base = folder.read("plan.yaml.base");
  folder.write("older.yaml", base);
  await Deno.symlink(`${folder.path}/plan.yaml`, `${folder.path}/link.yaml`);
  await Deno.symlink(`${folder.path}/new`, `${folder.path}/dangling`);
  for (
    const options of [
      "--base ./plan.yaml",
      "--base ./link.yaml",
      "--html ./plan.yaml.base",
      "--html ././plan.yaml",
      "--profile ././plan.yaml.base",
      "--base ./older.yaml --html ./older.yaml",
      "--html ./dangling --profile ./new",
    ]
  ) {
    const { code, stderr } = await folder.run(`${UPDATE} ${options}`);
    assertEquals([code, options], [2, options], stderr);
    const left = ["plan.yaml", "plan.yaml.base", "older.yaml"].map((name) => folder.read(name));
    assertEquals(left, [edited, base, base]);
  }
});

Deno.test("convert --update does not write any other output if the merge fails", async () => {
  using folder = new CliFolder({ "access.log": FIRST });
  await folder.run(UPDATE);
  await Deno.remove(`${folder.path}/plan.yaml.base`);
  const extra = "--html ./page.html --profile ./profile.json";
  assertEquals((await folder.run(`${UPDATE} ${extra}`)).code, 1);
  assertEquals(folder.names(), ["access.log", "plan.yaml"]);
  assertEquals((await folder.run(`${CONVERT} -o ./other.yaml ${extra}`)).code, 0);
  assertStringIncludes(folder.read("profile.json"), '"GET /a"');
  assertStringIncludes(folder.read("page.html"), "/a");
});
