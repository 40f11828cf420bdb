import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const SHOP = fromFileUrl(new URL("../../../testdata/har/demo_shop_forms.har", import.meta.url));

async function review(...options: string[]) {
  using folder = new CliFolder();
  const [html, plan] = [join(folder.path, "review.html"), join(folder.path, "plan.yaml")];
  const { code, stderr } = await runCli([
    "convert",
    SHOP,
    "-o",
    plan,
    "--html",
    html,
    ...options,
  ]);
  assertEquals(code, 0, stderr);
  const text = await Deno.readTextFile(html);
  const page = parseHtml(text);
  const all = (selector: string) => [...selectCss(selector, undefined, page)];
  return { text, all };
}

const result = (table: string, n: number) => `[aria-label="${table}"] tbody td:nth-child(${n})`;

Deno.test("convert --html lists the calls of a HAR and whether they send recorded values", async () => {
  const { all } = await review("--correlate", "json");
  assertEquals(all('[aria-label="Calls"] tbody th').length, 11);
  assertEquals(all(result("Calls", 5)), [
    ...["as recorded", "sends a recorded value", "as recorded", "as recorded", "correlated"],
    ...["sends a recorded value", "as recorded", "as recorded", "sends a recorded value"],
    ...["sends a recorded value", "as recorded"],
  ]);
});

Deno.test("convert --html shows the source of a value, its consumers and the suggested edit", async () => {
  const { all } = await review("--correlate", "json");
  assertEquals(all('[aria-label="Values"] tbody tr:nth-child(1) td').slice(0, 3), [
    "sent as recorded",
    'css meta[name="csrf-token"] attribute content of request 1 (GET /login)',
    "form csrf_token of request 2 (POST /login)",
  ]);
  assertStringIncludes(all("pre.edit")[0]!, "extract:\n  - type: css\n    name: csrf_token\n");
  assert(all('[aria-label="Notes"] tbody th').includes("excluded-value"));
});

Deno.test("convert --html of a fully correlated HAR shows only extracted values", async () => {
  const { all } = await review();
  assertEquals(new Set(all(result("Values", 2))), new Set(["extracted"]));
  assertEquals(all("pre.edit"), []);
});

Deno.test("convert --verify --html shows the verdicts of the verification", async () => {
  const { text, all } = await review("--correlate", "json", "--verify");
  assertStringIncludes(text, "stale: 7 of 11 calls as recorded");
  assertEquals(all(result("Calls", 5)).filter((verdict) => verdict === "stale").length, 4);
  assertEquals(all(result("Values", 2)), ["stale", "stale", "stale", "stale", "extracted"]);
});

Deno.test("convert --html does not show recorded credentials", async () => {
  const har = await Deno.readTextFile(SHOP);
  const [, password] = /[&"]password=([^&"]+)/.exec(har)!;
  for (const options of [[], ["--verify"], ["--correlate", "json"]]) {
    const { text } = await review(...options);
    assert(!text.includes(decodeURIComponent(password)), options.join(" "));
    assertStringIncludes(text, "********");
  }
});

Deno.test("convert --html refuses to replace its input", async () => {
  const { code, stderr } = await runCli(["convert", SHOP, "--html", SHOP]);
  assertStringIncludes(stderr, `cannot write to ${SHOP}`);
  assertEquals(code, 2);
});
