import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { secretFinder } from "../../../src/base/redactor.ts";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import { runCli, runProcess } from "../../support/cli.ts";
import { TempFolder } from "../../support/temp_folder.ts";

const SHOP = fromFileUrl(new URL("../../../testdata/har/demo_shop_forms.har", import.meta.url));

async function withPlan(
  options: readonly string[],
  use: (plan: string, folder: string) => Promise<void>,
): Promise<void> {
  using temp = new TempFolder();
  const folder = temp.path;
  const plan = join(folder, "plan.yaml");
  assertEquals((await runCli(["convert", SHOP, "-o", plan, ...options])).code, 0);
  await use(plan, folder);
}

Deno.test("verify finds no stale values in a plan with all necessary extractors", () =>
  withPlan([], async (plan) => {
    const { code, stdout } = await runCli([
      ...["verify", plan, "--har", SHOP, "--vus", "2", "--iterations", "3"],
    ]);
    assertEquals(
      stdout,
      "consistent: 11 of 11 calls as recorded for 2 users in 3 iterations; " +
        "prove the plan on the live application with `rehearse calibrate`\n",
    );
    assertEquals(code, 0);
  }));

Deno.test("if a plan sends stale values, verify lists them on one screen and exits with 1", () =>
  withPlan(["--correlate", "json"], async (plan) => {
    const { code, stdout, stderr } = await runCli(["verify", plan, "--har", SHOP]);
    assertStringIncludes(stdout, "Stale values (4)\n");
    assertMatch(stderr, /^next: make the edits above, or convert again: /);
    assertStringIncludes(stdout, '"type":"css","name":"csrf_token"');
    assertMatch(
      stdout,
      /^stale: 7 of 11 calls as recorded for .*; 4 values of the recorded session/,
    );
    assert(stdout.split("\n").length < 24, stdout);
    assertEquals(code, 1);
  }));

Deno.test("verify --format json prints all findings as one object", () =>
  withPlan(["--correlate", "json"], async (plan) => {
    const { code, stdout } = await runCli(["verify", plan, "--har", SHOP, "--format", "json"]);
    const found = JSON.parse(stdout);
    assertEquals([found.verdict, found.stale.length, found.recorded], ["stale", 4, 11]);
    assertEquals(code, 1);
  }));

Deno.test("verify --html writes the page that --format html prints", () =>
  withPlan(["--correlate", "json"], async (plan, folder) => {
    const html = join(folder, "review.html");
    const options = ["verify", plan, "--har", SHOP, "--format", "html"];
    const { code, stdout } = await runCli([...options, "--html", html]);
    assertEquals([code, await Deno.readTextFile(html)], [1, stdout]);
    const page = parseHtml(stdout);
    const texts = (selector: string) => [...selectCss(selector, undefined, page)];
    assertEquals(texts('[aria-label="Calls"] tbody tr:nth-child(2) td').slice(0, 4), [
      "POST",
      "http://127.0.0.1:8080/login",
      "302",
      "stale",
    ]);
    assertStringIncludes(
      texts("pre.edit")[0]!,
      "# request 1 (GET /login)\nextract:\n  - type: css\n    name: csrf_token\n",
    );
    const [result, from, to] = texts('[aria-label="Values"] tbody tr:last-child td');
    assertMatch(from!, /^jsonpath \$\.items\[.+\]\.id of request 4 \(GET \/api\/products\)$/);
    assertEquals([result, to], [
      "extracted",
      "path products of request 5 (GET /products/404086)" +
      "form product_id of request 6 (POST /cart)",
    ]);
  }));

Deno.test("verify --html refuses to replace its inputs", () =>
  withPlan(["--correlate", "json"], async (plan) => {
    for (const input of [plan, SHOP]) {
      const { code, stderr } = await runCli(["verify", plan, "--har", SHOP, "--html", input]);
      assertStringIncludes(stderr, `cannot write to ${input}`);
      assertEquals(code, 2);
    }
  }));

Deno.test("verify --format html prints a self-contained page", () =>
  withPlan(["--correlate", "json"], async (plan) => {
    const { code, stdout } = await runCli(["verify", plan, "--har", SHOP, "--format", "html"]);
    assertStringIncludes(stdout, "✗</strong> stale: 7 of 11 calls as recorded");
    assertStringIncludes(stdout, "meta[name=\\&quot;csrf-token\\&quot;]");
    assert(!/(?:src|href)\s*=\s*"?https?:/.test(stdout));
    assertEquals(code, 1);
  }));

/**
 * Calls `use` with the paths of a plan and a recording. The second recorded call sends a value from
 * the first response. The plan contains that value as a literal.
 */
async function withLiteral(use: (plan: string, har: string) => Promise<void>): Promise<void> {
  const entry = (order: number, url: string, text: string) => ({
    startedDateTime: `2026-11-21T10:00:0${order}.000Z`,
    time: 10,
    request: { method: "GET", headers: [], url },
    response: { status: 200, headers: [], content: { mimeType: "text/plain", text } },
  });
  const entries = [
    entry(0, "https://a.example/start", "see T48213x"),
    entry(1, "https://a.example/item?ref=about-48213", "ok"),
  ];
  const flow = ["/start", "/item?ref=about-48213"].map((url) => ({ request: { url } }));
  using temp = new TempFolder();
  const folder = temp.path;
  const [har, plan] = [join(folder, "a.har"), join(folder, "plan.yaml")];
  await Deno.writeTextFile(har, JSON.stringify({ log: { entries } }));
  const scenarios = { s: { executor: "per-vu-iterations", vus: 1, iterations: 1, flow } };
  await Deno.writeTextFile(plan, JSON.stringify({ scenarios }));
  await use(plan, har);
}

Deno.test("in every output format, verify lists recorded values that may be different on the server", () =>
  withLiteral(async (plan, har) => {
    const options = ["verify", plan, "--har", har];
    const text = await runCli(options);
    const result = "unproven: 2 of 2 calls as recorded for 1 user in 1 iteration; " +
      "1 value could be different on the server: `--explain` lists what is open\n";
    assertEquals(text.stdout, result);
    assertEquals(
      (await runCli([...options, "--explain"])).stdout,
      `${result}\nUnproven values (1)\n` +
        '  "48213" in query ref of request 2 (GET /item)\n' +
        "    sent as recorded; the response to request 1 (GET /start) contains it; add `extract: " +
        '[{"type":"boundary","name":"ref","left":"T","right":"x"}]` there and write `${ref}`\n\n' +
        "1 user, 1 iteration each: 2 recorded calls, 2 calls sent, 2 matched the recording " +
        "(100.0%)\nrecorded calls: 1 unproven, 1 consistent\n",
    );
    const json = await runCli([...options, "--format", "json"]);
    const found = JSON.parse(json.stdout);
    assertEquals([found.verdict, found.unproven.length], ["unproven", 1]);
    const html = await runCli([...options, "--format", "html"]);
    assertStringIncludes(
      html.stdout,
      "?</strong> unproven: 2 of 2 calls as recorded",
    );
    assertStringIncludes(html.stdout, "<code>48213</code>");
    const strict = await runCli([...options, "--strict"]);
    assertEquals([text.code, json.code, html.code, strict.code], [0, 0, 0, 3]);
    const twice = await runCli([...options, "--iterations", "2", "--explain"]);
    assertStringIncludes(twice.stdout, "query ref of request 2 (GET /item), 2 times\n");
  }));

Deno.test("verify reports a recording that does not belong to the plan", () =>
  withLiteral(async (plan) => {
    const { code, stdout, stderr } = await runCli(["verify", plan, "--har", SHOP]);
    assertStringIncludes(stdout, "; the recording does not seem to belong to the plan: ");
    assertMatch(
      stderr,
      /^next: verify with the recording from which the plan was converted, or convert again: /,
    );
    assertEquals(code, 1);
  }));

Deno.test("verify suggests `calibrate` with --base-url if the target of the plan is unknown", () =>
  withPlan([], async (plan) => {
    const text = await Deno.readTextFile(plan);
    await Deno.writeTextFile(plan, text.replace(/^ +base_url: .*\n/m, ""));
    const { stderr } = await runCli(["verify", plan, "--har", SHOP]);
    assertEquals(
      stderr,
      `next: \`rehearse calibrate ${plan} --har ${SHOP} --base-url URL -o ${plan}\`\n`,
    );
  }));

Deno.test("verify needs only read permission", () =>
  withPlan([], async (plan) => {
    const { code, stderr } = await runProcess(["--allow-read"], ["verify", plan, "--har", SHOP]);
    assertEquals([code, stderr], [0, `next: \`rehearse run ${plan} --once\`\n`]);
  }));

Deno.test("verify and convert --verify do not show credentials in any format", async () => {
  const secrets = [
    "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF1234",
    "aB3dE6gH9jK2mN5pQ8sT",
    "t1de-pool-9",
  ];
  const [token, bearer, password] = secrets;
  const entry = (order: number, url: string, text: string) => ({
    startedDateTime: `2026-11-21T10:00:0${order}.000Z`,
    time: 10,
    request: {
      method: "POST",
      url: `https://a.example${url}`,
      headers: [{ name: "Authorization", value: `Bearer ${bearer}` }],
      postData: { mimeType: "application/x-www-form-urlencoded", text: `password=${password}` },
    },
    response: { status: 200, headers: [], content: { mimeType: "text/plain", text } },
  });
  const entries = [entry(0, "/a", `see ${token}`), entry(1, `/t/${token}`, "x")];
  using temp = new TempFolder();
  const folder = temp.path;
  const [har, plan] = [join(folder, "a.har"), join(folder, "plan.yaml")];
  await Deno.writeTextFile(har, JSON.stringify({ log: { entries } }));
  const converted = await runCli(["convert", har, "-o", plan, "--verify"]);
  const outputs = [converted.stderr];
  for (const format of ["text", "json", "html"]) {
    const { stdout } = await runCli([
      "verify",
      plan,
      "--har",
      har,
      "--explain",
      "--format",
      format,
    ]);
    assertStringIncludes(stdout, "******** (AUTHORIZATION)", format);
    outputs.push(stdout);
  }
  for (const secret of secrets) assert(!outputs.join().includes(secret), secret);
});

Deno.test("verify and convert show the names of session cookies instead of their values", async () => {
  const values = { sid: "s%3Ab7f3e09d21c845aa", remember_me: "Q7f3e09d21c845aaZ" };
  const [sid, remembered] = [decodeURIComponent(values.sid), values.remember_me];
  const entry = (
    order: number,
    url: string,
    body: object,
    request = {},
    headers: object[] = [],
  ) => ({
    startedDateTime: `2026-11-21T10:00:0${order}.000Z`,
    time: 10,
    request: { method: "GET", url: `https://a.example${url}`, headers: [], ...request },
    response: {
      status: 200,
      headers,
      content: { mimeType: "application/json", text: JSON.stringify(body) },
    },
  });
  const set = [{ name: "Set-Cookie", value: `sid=${values.sid}; Path=/; HttpOnly` }];
  const cookie = { name: "Cookie", value: `sid=${values.sid}; remember_me=${remembered}` };
  const json = { mimeType: "application/json", text: JSON.stringify({ s: sid, r: remembered }) };
  const entries = [
    entry(0, "/login", { s: sid }, {}, set),
    entry(1, `/a?s=${values.sid}&r=${remembered}`, { r: remembered }, { headers: [cookie] }),
    entry(2, "/b", {}, {
      method: "POST",
      headers: [cookie, { name: "X-Copy", value: btoa(sid) }],
      postData: json,
    }),
  ];
  using temp = new TempFolder();
  const folder = temp.path;
  const [har, plan] = [join(folder, "a.har"), join(folder, "plan.yaml")];
  await Deno.writeTextFile(har, JSON.stringify({ log: { entries } }));
  const [page, review] = [join(folder, "a.html"), join(folder, "b.html")];
  const output = ["-o", plan, "--verify", "--explain", "--html", page];
  const given = ["convert", har, "--correlate", "json", ...output];
  const converted = await runCli(given);
  const outputs = [converted.stdout, converted.stderr, await Deno.readTextFile(page)];
  for (const format of ["text", "json", "html"]) {
    const args = ["verify", plan, "--har", har, "--format", format, "--html", review];
    const { stdout } = await runCli(args);
    assertStringIncludes(stdout, "******** (cookie sid)", format);
    outputs.push(stdout, await Deno.readTextFile(review));
  }
  const find = secretFinder([values.sid, sid, remembered]);
  for (const text of outputs) assertEquals(find(text), []);
});

Deno.test("verify escapes recorded text in its output", async () => {
  const hostile = "5f3c9a71b2d84e60\x1b[31m\u202e";
  const entry = (order: number, request: object, content: object) => ({
    startedDateTime: `2026-11-21T10:00:0${order}.000Z`,
    time: 10,
    request: { method: "POST", headers: [], ...request },
    response: { status: 200, headers: [], content },
  });
  const log = {
    entries: [
      entry(0, { url: "https://a.example/login" }, {
        mimeType: "application/json",
        text: JSON.stringify({ csrf_token: hostile }),
      }),
      entry(1, {
        url: "https://a.example/x",
        postData: { mimeType: "application/json", text: JSON.stringify({ csrf_token: hostile }) },
      }, {}),
    ],
  };
  using temp = new TempFolder();
  const folder = temp.path;
  const [har, plan] = [join(folder, "a.har"), join(folder, "plan.yaml")];
  await Deno.writeTextFile(har, JSON.stringify({ log }));
  await Deno.writeTextFile(
    plan,
    JSON.stringify({
      scenarios: {
        s: {
          executor: "per-vu-iterations",
          vus: 1,
          iterations: 1,
          flow: [
            { request: { method: "POST", url: "/login" } },
            { request: { method: "POST", url: "/x", body: { json: { csrf_token: hostile } } } },
          ],
        },
      },
    }),
  );
  for (const format of ["text", "json", "html"]) {
    const { code, stdout } = await runCli(["verify", plan, "--har", har, "--format", format]);
    assertEquals(code, 1);
    assertStringIncludes(stdout, "5f3c9a71b2d84e60");
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x09\x0b-\x1f\u202e]/.test(stdout), stdout);
  }
});

for (
  const [args, message] of [
    [["verify"], "expected one plan to verify (- for standard input)"],
    [["verify", "p.yaml"], "verify needs a recording or a log to compare with: add `--har FILE`"],
    [["verify", "-", "--har=-"], "standard input (-) was given twice, but can be read only once"],
    [["verify", "p.yaml", "--har", "a.har", "--vus", "0"], "--vus cannot be 0"],
  ] as const
) {
  Deno.test(`verify rejects invalid arguments: ${args.join(" ")}`, async () => {
    const { code, stderr } = await runCli(args);
    assertStringIncludes(stderr, message);
    assertEquals(code, 2);
  });
}
