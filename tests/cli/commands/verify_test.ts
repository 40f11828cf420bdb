import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { secretFinder } from "../../../src/base/redactor.ts";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import { runCli, runProcess } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const SHOP = fromFileUrl(new URL("../../../testdata/har/demo_shop_forms.har", import.meta.url));

/** Returns a folder with the plan that convert makes from the recording of the demo shop. */
async function shopFolder(options = ""): Promise<CliFolder> {
  const folder = new CliFolder();
  assertEquals((await folder.run(`convert ${SHOP} -o ./plan.yaml${options}`)).code, 0);
  return folder;
}

const VERIFY = `verify ./plan.yaml --har ${SHOP}`;
const STALE = " --correlate json";

Deno.test("verify finds no stale values in a plan with all necessary extractors", async () => {
  using folder = await shopFolder();
  const { code, stdout } = await folder.run(`${VERIFY} --vus 2 --iterations 3`);
  assertEquals(
    stdout,
    "consistent: 11 of 11 calls as recorded for 2 users in 3 iterations; " +
      "prove the plan on the live application with `rehearse calibrate`\n",
  );
  assertEquals(code, 0);
});

Deno.test("if a plan sends stale values, verify lists them on one screen and exits with 1", async () => {
  using folder = await shopFolder(STALE);
  const { code, stdout, stderr } = await folder.run(VERIFY);
  assertStringIncludes(stdout, "Stale values (4)\n");
  assertMatch(stderr, /^next: make the edits above, or convert again: /);
  assertStringIncludes(stdout, '"type":"css","name":"csrf_token"');
  assertMatch(
    stdout,
    /^stale: 7 of 11 calls as recorded for .*; 4 values of the recorded session/,
  );
  assert(stdout.split("\n").length < 24, stdout);
  assertEquals(code, 1);
  const json = await folder.run(`${VERIFY} --format json`);
  const found = JSON.parse(json.stdout);
  assertEquals([found.verdict, found.stale.length, found.recorded], ["stale", 4, 11]);
  assertEquals(json.code, 1);
});

Deno.test("verify --html writes the self-contained page that --format html prints", async () => {
  using folder = await shopFolder(STALE);
  const { code, stdout } = await folder.run(`${VERIFY} --format html --html ./review.html`);
  assertEquals([code, folder.read("review.html").replaceAll(folder.path, ".")], [1, stdout]);
  assertStringIncludes(stdout, "✗</strong> stale: 7 of 11 calls as recorded");
  assertStringIncludes(stdout, "meta[name=\\&quot;csrf-token\\&quot;]");
  assert(!/(?:src|href)\s*=\s*"?https?:/.test(stdout));
  const page = parseHtml(stdout);
  const texts = (selector: string) => [...selectCss(selector, undefined, page)];
  assertEquals(texts('[aria-label="Calls"] tbody tr:nth-child(2) td').slice(0, 4), [
    ...["POST", "http://127.0.0.1:8080/login", "302", "stale"],
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
});

Deno.test("verify --html refuses to replace its inputs", async () => {
  using folder = await shopFolder(STALE);
  for (const input of ["./plan.yaml", SHOP]) {
    const { code, stderr } = await folder.run(`${VERIFY} --html ${input}`);
    assertStringIncludes(stderr, `cannot write to ${input}`);
    assertEquals(code, 2);
  }
});

/** Returns an entry of a HAR that starts `order` seconds after the first one. */
function entry(order: number, request: object, content: object, headers: object[] = []) {
  return {
    startedDateTime: `2026-11-21T10:00:0${order}.000Z`,
    time: 10,
    request: { method: "GET", headers: [], ...request },
    response: { status: 200, headers, content },
  };
}

const harOf = (...entries: unknown[]) => ({ log: { entries } });
const planOf = (...requests: object[]) => ({
  scenarios: {
    s: {
      ...{ executor: "per-vu-iterations", vus: 1, iterations: 1 },
      flow: requests.map((request) => ({ request })),
    },
  },
});

/**
 * Returns a folder with a plan and a recording. The second recorded call sends a value from the
 * first response. The plan contains that value as a literal.
 */
function literalFolder(): CliFolder {
  const text = (text: string) => ({ mimeType: "text/plain", text });
  return new CliFolder({
    "a.har": harOf(
      entry(0, { url: "https://a.example/start" }, text("see T48213x")),
      entry(1, { url: "https://a.example/item?ref=about-48213" }, text("ok")),
    ),
    "plan.yaml": planOf({ url: "/start" }, { url: "/item?ref=about-48213" }),
  });
}

Deno.test("in every output format, verify lists recorded values that may be different on the server", async () => {
  using folder = literalFolder();
  const verify = "verify ./plan.yaml --har ./a.har";
  const text = await folder.run(verify);
  const result = "unproven: 2 of 2 calls as recorded for 1 user in 1 iteration; " +
    "1 value could be different on the server: `--explain` lists what is open\n";
  assertEquals(text.stdout, result);
  assertEquals(
    (await folder.run(`${verify} --explain`)).stdout,
    `${result}\nUnproven values (1)\n` +
      '  "48213" in query ref of request 2 (GET /item)\n' +
      "    sent as recorded; the response to request 1 (GET /start) contains it; add `extract: " +
      '[{"type":"boundary","name":"ref","left":"T","right":"x"}]` there and write `${ref}`\n\n' +
      "1 user, 1 iteration each: 2 recorded calls, 2 calls sent, 2 matched the recording " +
      "(100.0%)\nrecorded calls: 1 unproven, 1 consistent\n",
  );
  const json = await folder.run(`${verify} --format json`);
  const found = JSON.parse(json.stdout);
  assertEquals([found.verdict, found.unproven.length], ["unproven", 1]);
  const html = await folder.run(`${verify} --format html`);
  assertStringIncludes(html.stdout, "?</strong> unproven: 2 of 2 calls as recorded");
  assertStringIncludes(html.stdout, "<code>48213</code>");
  const strict = await folder.run(`${verify} --strict`);
  assertEquals([text.code, json.code, html.code, strict.code], [0, 0, 0, 3]);
  const twice = await folder.run(`${verify} --iterations 2 --explain`);
  assertStringIncludes(twice.stdout, "query ref of request 2 (GET /item), 2 times\n");
});

Deno.test("verify reports a recording that does not belong to the plan", async () => {
  using folder = literalFolder();
  const { code, stdout, stderr } = await folder.run(VERIFY);
  assertStringIncludes(stdout, "; the recording does not seem to belong to the plan: ");
  assertMatch(
    stderr,
    /^next: verify with the recording from which the plan was converted, or convert again: /,
  );
  assertEquals(code, 1);
});

Deno.test("verify suggests `calibrate` with --base-url if the target of the plan is unknown", async () => {
  using folder = await shopFolder();
  folder.write("plan.yaml", folder.read("plan.yaml").replace(/^ +base_url: .*\n/m, ""));
  const { stderr } = await folder.run(VERIFY);
  const next = `calibrate ./plan.yaml --har ${SHOP} --base-url URL -o ./plan.yaml`;
  assertEquals(stderr, `next: \`rehearse ${next}\`\n`);
});

Deno.test("verify needs only read permission", async () => {
  using folder = await shopFolder();
  const plan = `${folder.path}/plan.yaml`;
  const { code, stderr } = await runProcess(["--allow-read"], ["verify", plan, "--har", SHOP]);
  assertEquals([code, stderr], [0, `next: \`rehearse run ${plan} --once\`\n`]);
});

Deno.test("verify and convert --verify do not show credentials in any format", async () => {
  const [token, bearer, password] = [
    ...["ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF1234", "aB3dE6gH9jK2mN5pQ8sT", "t1de-pool-9"],
  ];
  const call = (order: number, path: string, text: string) =>
    entry(order, {
      method: "POST",
      url: `https://a.example${path}`,
      headers: [{ name: "Authorization", value: `Bearer ${bearer}` }],
      postData: { mimeType: "application/x-www-form-urlencoded", text: `password=${password}` },
    }, { mimeType: "text/plain", text });
  using folder = new CliFolder({
    "a.har": harOf(call(0, "/a", `see ${token}`), call(1, `/t/${token}`, "x")),
  });
  const outputs = [(await folder.run("convert ./a.har -o ./plan.yaml --verify")).stderr];
  for (const format of ["text", "json", "html"]) {
    const verify = `verify ./plan.yaml --har ./a.har --explain --format ${format}`;
    const { stdout } = await folder.run(verify);
    assertStringIncludes(stdout, "******** (AUTHORIZATION)", format);
    outputs.push(stdout);
  }
  for (const secret of [token, bearer, password]) assert(!outputs.join().includes(secret), secret);
});

Deno.test("verify and convert show the names of session cookies instead of their values", async () => {
  const values = { sid: "s%3Ab7f3e09d21c845aa", remember_me: "Q7f3e09d21c845aaZ" };
  const [sid, remembered] = [decodeURIComponent(values.sid), values.remember_me];
  const json = (value: object) => ({ mimeType: "application/json", text: JSON.stringify(value) });
  const set = [{ name: "Set-Cookie", value: `sid=${values.sid}; Path=/; HttpOnly` }];
  const cookie = { name: "Cookie", value: `sid=${values.sid}; remember_me=${remembered}` };
  const send = { url: `https://a.example/a?s=${values.sid}&r=${remembered}`, headers: [cookie] };
  const post = {
    method: "POST",
    url: "https://a.example/b",
    headers: [cookie, { name: "X-Copy", value: btoa(sid) }],
    postData: json({ s: sid, r: remembered }),
  };
  using folder = new CliFolder({
    "a.har": harOf(
      entry(0, { url: "https://a.example/login" }, json({ s: sid }), set),
      entry(1, send, json({ r: remembered })),
      entry(2, post, json({})),
    ),
  });
  const output = "-o ./plan.yaml --verify --explain --html ./a.html";
  const converted = await folder.run(`convert ./a.har --correlate json ${output}`);
  const outputs = [converted.stdout, converted.stderr, folder.read("a.html")];
  for (const format of ["text", "json", "html"]) {
    const verify = `verify ./plan.yaml --har ./a.har --format ${format} --html ./b.html`;
    const { stdout } = await folder.run(verify);
    assertStringIncludes(stdout, "******** (cookie sid)", format);
    outputs.push(stdout, folder.read("b.html"));
  }
  const find = secretFinder([values.sid, sid, remembered]);
  for (const text of outputs) assertEquals(find(text), []);
});

Deno.test("verify escapes recorded text in its output", async () => {
  const token = { csrf_token: "5f3c9a71b2d84e60\x1b[31m\u202e" };
  const json = { mimeType: "application/json", text: JSON.stringify(token) };
  const method = "POST";
  using folder = new CliFolder({
    "a.har": harOf(
      entry(0, { method, url: "https://a.example/login" }, json),
      entry(1, { method, url: "https://a.example/x", postData: json }, {}),
    ),
    "plan.yaml": planOf({ method, url: "/login" }, { method, url: "/x", body: { json: token } }),
  });
  for (const format of ["text", "json", "html"]) {
    const verify = `verify ./plan.yaml --har ./a.har --format ${format}`;
    const { code, stdout } = await folder.run(verify);
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
