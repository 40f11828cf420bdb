import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../support/cli.ts";
import { parsedPlan } from "../../support/parsed_plan.ts";
import { TempFolder } from "../../support/temp_folder.ts";

const LINE = (path: string) =>
  `203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1\n`;
const FIRST = LINE("/a").repeat(3) + LINE("/b");
const SECOND = LINE("/a").repeat(3) + LINE("/b").repeat(2) + LINE("/c");

Deno.test("convert --update writes a new plan and its base, and keeps edits and comments when run again", () =>
  inFolder(async (run, path) => {
    const created = await run("--update", path("plan.yaml"));
    assertEquals(created.code, 0);
    const text = await Deno.readTextFile(path("plan.yaml"));
    assertEquals(await Deno.readTextFile(path("plan.yaml.base")), text);
    await Deno.writeTextFile(
      path("plan.yaml"),
      text.replace("scenarios:", "# our load\nscenarios:").replace("name: GET /b", "name: B"),
    );
    await Deno.writeTextFile(path("access.log"), SECOND);
    const { code, stderr } = await run("--update", path("plan.yaml"));
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, `updated ${path("plan.yaml")}: `);
    assertStringIncludes(stderr, " 0 conflicts\n");
    const updated = await Deno.readTextFile(path("plan.yaml"));
    assertStringIncludes(updated, "# our load\n");
    assertStringIncludes(updated, "name: GET /c\n");
    assertStringIncludes(updated, "- weight: 2\n              name: B\n");
    const fresh = await runCli(["convert", path("access.log")]);
    assertEquals(await Deno.readTextFile(path("plan.yaml.base")), fresh.stdout);
    const again = await run("--update", path("plan.yaml"));
    assertStringIncludes(again.stderr, ": 0 changes from the new conversion, ");
    assertEquals(await Deno.readTextFile(path("plan.yaml")), updated);
  }));

Deno.test("convert --update keeps a conflicting edit, shows both values, and fails with --strict", () =>
  inFolder(async (run, path) => {
    await run("--update", path("plan.yaml"));
    const text = await Deno.readTextFile(path("plan.yaml"));
    await Deno.writeTextFile(path("plan.yaml"), text.replace(/( rate: )[\d.]+/, "$150"));
    await Deno.writeTextFile(path("access.log"), SECOND);
    const { code, stderr } = await run("--update", path("plan.yaml"), "--strict");
    assertEquals(code, 3);
    assertStringIncludes(
      stderr,
      "warning[edit-conflict] scenarios.replayed_traffic.rate: kept your 50, but the new conversion has 6\n",
    );
    const plan = parsedPlan(await Deno.readTextFile(path("plan.yaml")));
    const [scenario] = Object.values(plan.scenarios);
    assertEquals("rate" in scenario && scenario.rate, 50);
    const json = await run("--update", path("plan.yaml"), "--warnings", "json");
    assertEquals(json.stderr.includes("next:"), false);
  }));

Deno.test("convert --update warns about a comment on lines that the new conversion removed", () =>
  inFolder(async (run, path) => {
    await run("--update", path("plan.yaml"));
    const text = await Deno.readTextFile(path("plan.yaml"));
    const comments = text.replace("url: /a\n", "url: /a # kept\n")
      .replace("url: /b\n", "url: /b # of b\n");
    await Deno.writeTextFile(path("plan.yaml"), comments);
    const { code, stderr } = await run(
      "--update",
      path("plan.yaml"),
      "--exclude",
      "/b",
      "--strict",
    );
    assertEquals(code, 3);
    assertStringIncludes(
      stderr,
      'warning[edit-conflict] comment: the new conversion removed the lines that your comment "# of b" ' +
        "was attached to\n",
    );
    assertEquals(stderr.split("edit-conflict").length, 2);
    const updated = await Deno.readTextFile(path("plan.yaml"));
    assertStringIncludes(updated, "url: /a # kept\n");
    assertEquals(updated.includes("of b"), false);
  }));

Deno.test("convert --update replaces only the comments of the earlier conversion at the start of the plan", () =>
  inFolder(async (run, path) => {
    for (const newline of ["\n", "\r\n"]) {
      await Deno.writeTextFile(path("access.log"), FIRST);
      await run("--update", path("plan.yaml"));
      const text = await Deno.readTextFile(path("plan.yaml"));
      assertStringIncludes(text, "from an access log of 4 requests.\n");
      const edit = (plan: string) =>
        `# yaml-language-server: $schema=mine\n${plan}`.replace("\nname:", "\n# Ours: #1 \nname:");
      const edited = edit(text);
      await Deno.writeTextFile(path("plan.yaml"), edited.replaceAll("\n", newline));
      await Deno.writeTextFile(path("access.log"), SECOND);
      await run("--update", path("plan.yaml"));
      const updated = await Deno.readTextFile(path("plan.yaml"));
      const fresh = (await runCli(["convert", path("access.log")])).stdout;
      assertEquals(updated, edit(fresh).replaceAll("\n", newline));
      await Deno.remove(path("plan.yaml"));
      await Deno.remove(path("plan.yaml.base"));
    }
  }));

Deno.test("convert --update keeps comments that you changed at the start of the plan", () =>
  inFolder(async (run, path) => {
    await run("--update", path("plan.yaml"));
    const text = await Deno.readTextFile(path("plan.yaml"));
    const edited = text.replace("# Use it to test", "# Do not use it to test");
    await Deno.writeTextFile(path("plan.yaml"), edited);
    await Deno.writeTextFile(path("access.log"), SECOND);
    const { stderr } = await run("--update", path("plan.yaml"));
    assertEquals(stderr.includes("edit-conflict"), false);
    const updated = await Deno.readTextFile(path("plan.yaml"));
    assertEquals(updated.split("\nname:")[0], edited.split("\nname:")[0]);
  }));

Deno.test("convert --update needs the unedited plan, and writes nothing if the result is invalid", () =>
  inFolder(async (run, path) => {
    await run("-o", path("plan.yaml"));
    const text = await Deno.readTextFile(path("plan.yaml"));
    const missing = await run("--update", path("plan.yaml"));
    assertEquals(missing.code, 1);
    assertStringIncludes(missing.stderr, "plan.yaml.base does not exist; add `--base FILE`");
    await Deno.writeTextFile(path("base.yaml"), text);
    const edited = text.replace(/weight: \d+/g, "weight: 0");
    await Deno.writeTextFile(path("plan.yaml"), edited);
    const invalid = await run("--update", path("plan.yaml"), "--base", path("base.yaml"));
    assertEquals(invalid.code, 1);
    assertEquals(await Deno.readTextFile(path("plan.yaml")), edited);
    const both = await run("--update", path("plan.yaml"), "-o", path("b.yaml"));
    assertEquals(both.code, 2);
    assertEquals((await run("--base", path("base.yaml"))).code, 2);
  }));

Deno.test("convert --update keeps the edits and the base if two options specify the same file", () =>
  inFolder(async (run, path) => {
    const plan = path("plan.yaml");
    await run("--update", plan);
    const edited = (await Deno.readTextFile(plan)).replace("name: GET /b", "name: B");
    await Deno.writeTextFile(plan, edited);
    await Deno.writeTextFile(path("access.log"), SECOND);
    await Deno.symlink(plan, path("link.yaml"));
    await Deno.symlink(path("new"), path("dangling"));
    const base = await Deno.readTextFile(`${plan}.base`);
    const folder = plan.slice(0, -"/plan.yaml".length);
    await Deno.copyFile(`${plan}.base`, path("older.yaml"));
    for (
      const options of [
        ["--base", plan],
        ["--base", path("link.yaml")],
        ["--html", `${plan}.base`],
        ["--html", `${folder}/./plan.yaml`],
        ["--profile", `${folder}/./plan.yaml.base`],
        ["--base", path("older.yaml"), "--html", path("older.yaml")],
        ["--html", path("dangling"), "--profile", path("new")],
      ]
    ) {
      const { code, stderr } = await run("--update", plan, ...options);
      assertEquals([code, options], [2, options], stderr);
      assertEquals(await Deno.readTextFile(plan), edited);
      assertEquals(await Deno.readTextFile(`${plan}.base`), base);
      assertEquals(await Deno.readTextFile(path("older.yaml")), base);
    }
  }));

Deno.test("convert --update does not write any other output if the merge fails", () =>
  inFolder(async (run, path) => {
    await run("--update", path("plan.yaml"));
    await Deno.remove(path("plan.yaml.base"));
    const extra = ["--html", path("page.html"), "--profile", path("profile.json")];
    assertEquals((await run("--update", path("plan.yaml"), ...extra)).code, 1);
    const names = Array.from(Deno.readDirSync(path(".")), ({ name }) => name).sort();
    assertEquals(names, ["access.log", "plan.yaml"]);
    assertEquals((await run("-o", path("other.yaml"), ...extra)).code, 0);
    assertStringIncludes(await Deno.readTextFile(path("profile.json")), '"GET /a"');
    assertStringIncludes(await Deno.readTextFile(path("page.html")), "/a");
  }));

async function inFolder(
  use: (
    run: (...options: string[]) => ReturnType<typeof runCli>,
    path: (name: string) => string,
  ) => Promise<void>,
): Promise<void> {
  using temp = new TempFolder();
  const folder = temp.path;
  const path = (name: string) => `${folder}/${name}`;
  await Deno.writeTextFile(path("access.log"), FIRST);
  await use((...options) => runCli(["convert", path("access.log"), ...options]), path);
}
