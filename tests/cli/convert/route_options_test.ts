import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const START = Date.UTC(2026, 10, 1);
const LOG = ["/blog/a", '/blog/b,"c"', "/blog/b,%22c%22", "/users/17/cart", "/blog/a"]
  .map((path, i) => logLine({ at: START + 1_000 * i, path: path.replaceAll('"', "%22") })).join("");

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  using folder = new CliFolder();
  folder.write("access.log", LOG);
  await act(folder.path);
}

Deno.test("convert --route names path parameters, and --ids writes their recorded values", async () => {
  await inFolder(async (folder) => {
    const [log, ids] = [join(folder, "access.log"), join(folder, "ids.csv")];
    const { code, stdout, stderr } = await runCli(["convert", log, "--route", "/blog/:slug"]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, "url: /blog/${vars.slug}");
    assertStringIncludes(stdout, "slug: a");
    assertStringIncludes(stderr, "routes-merged");
    const plan = join(folder, "plan.yaml");
    await runCli(["convert", log, "--route", "/blog/:slug", "--ids", ids, "-o", plan]);
    assertEquals(
      Deno.readTextFileSync(ids),
      'ids_1_1,ids_1_count,ids_2_1,ids_2_count\na,2,17,1\n"b,%22c%22",2,,\n',
    );
    assertMatch(Deno.readTextFileSync(plan), /url: \/blog\/\$\{data\.ids_1\.ids_1_1\}/);
  });
});

Deno.test("convert --openapi merges logged paths that match the same path of an OpenAPI document", async () => {
  await inFolder(async (folder) => {
    const api = join(folder, "api.yaml");
    await Deno.writeTextFile(api, 'openapi: 3.1.0\npaths:\n  "/users/{userId}/cart": {}\n');
    const { stdout } = await runCli(["convert", join(folder, "access.log"), "--openapi", api]);
    assertStringIncludes(stdout, "url: /users/${vars.userId}/cart");
    await Deno.writeTextFile(api, "a: [");
    const { code, stderr } = await runCli([
      "convert",
      join(folder, "access.log"),
      "--openapi",
      api,
    ]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "not YAML or JSON");
  });
});

Deno.test("convert --route rejects a pattern without a parameter, and warns about a pattern that does not match any path", async () => {
  await inFolder(async (folder) => {
    const log = join(folder, "access.log");
    const { code, stderr } = await runCli(["convert", log, "--route", "/blog"]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "--route cannot be /blog: expected a path with a parameter");
    const unmatched = await runCli(["convert", log, "--route", "/none/:x"]);
    assertStringIncludes(unmatched.stderr, "warning[route-unmatched] /none/:x");
  });
});
