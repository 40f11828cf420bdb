import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parse } from "@std/yaml";
import { random } from "../../../src/base/random.ts";
import { secretFinder } from "../../../src/base/redactor.ts";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";

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

Deno.test("verify and convert do not show credentials in any format", async () => {
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
  const outputs = [(await folder.run("convert ./a.har -o ./plan.yaml")).stderr];
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
  const output = "-o ./plan.yaml --explain --html ./a.html";
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

const SECONDS = 4;
const PER_SECOND = 100;
const PATHS = ["/", "/", "/", "/products", "/products", "/items/17", "/search?q=tea", "/about"];

/** Creates the text of a log with many random requests within a few seconds. */
function busyLog(): string {
  const draw = random(7);
  return Array.from({ length: SECONDS * PER_SECOND }, (_, i) => {
    const second = String(Math.floor(i / PER_SECOND)).padStart(2, "0");
    const path = PATHS[draw.int(0, PATHS.length - 1)];
    return `10.0.0.1 - - [21/Nov/2026:10:00:${second} +0000] "GET ${path} HTTP/1.1" 200 99\n`;
  }).join("");
}

/**
 * Returns a folder with a log, the plan converted from it, whose text `change` changes, and the
 * summary of a run of the plan in virtual time.
 */
async function runFolder(options = "", change: (plan: string) => string = String) {
  const folder = new CliFolder({ "access.log": busyLog() });
  const convert = `convert ./access.log -o ./plan.yaml --base-url http://shop.test${options}`;
  await folder.run(convert);
  folder.write("plan.yaml", change(folder.read("plan.yaml")));
  const { summary } = await runInVirtualTime(parse(folder.read("plan.yaml")) as Plan, {
    seed: 3,
    readFile: (path) => Deno.readFileSync(`${folder.path}/${path}`),
  });
  folder.write("summary.json", summary);
  return folder;
}

const VERIFY_LOG = "verify ./plan.yaml --log ./access.log --run ./summary.json";

/** Options of convert, changes to the plan, the exit code, and what verify prints. */
const RUNS: Record<
  string,
  [options: string, change: (plan: string) => string, exit: number, ...printed: RegExp[]]
> = {
  "that a run of a converted plan matches the log": [
    "",
    String,
    0,
    /^matches the log: the run had the log's mix and rate of requests\n/,
    /100\.00% of the log's requests went to endpoints of the plan \(5 of 5\)/,
    /\n {2}responses {2}0\.00% have a different status class \(log in parentheses\): 2xx 100\.00% \(100\.00%\)\n/,
  ],
  "the speed and the squeeze of a plan with recorded arrivals": [
    " --shape exact --speed 3 --squeeze 2",
    String,
    0,
    /^matches the log: /,
    /100\/s in the log, of which the plan sends 6 times/,
  ],
  "no difference between a path of the plan and the same path with a parameter": [
    "",
    (plan) =>
      plan.replaceAll("/about", "/${vars.page}").replace(/\nvariables:/, "$&\n  page: about"),
    0,
    /^matches the log: /,
  ],
  "a run at half the rate of the log": [
    "",
    (plan) => plan.replace(/rate: 100/, "rate: 50"),
    1,
    /^differs from the log: the rate is 0\.\d+ times the log's\n/,
  ],
};

for (const [name, [options, change, exit, ...printed]] of Object.entries(RUNS)) {
  Deno.test(`verify --log reports ${name}`, async () => {
    using folder = await runFolder(options, change);
    const { code, stdout } = await folder.run(VERIFY_LOG);
    for (const pattern of printed) assertMatch(stdout, pattern);
    assertEquals(code, exit, stdout);
  });
}

Deno.test("verify --log counts requests that the plan omits as a difference", async () => {
  using folder = await runFolder(" --top 1");
  const { code, stdout } = await folder.run(VERIFY_LOG);
  assertMatch(
    stdout,
    /^differs from the log: the plan covers only \d\d\.\d\d% of the log's requests \(`convert --top`\); the mix/,
  );
  const [, missing] = /mix {8}([\d.]+)% of the requests/.exec(stdout)!;
  const [, covered] = /covered {4}([\d.]+)% of the log/.exec(stdout)!;
  assertEquals(Math.round(Number(missing) + Number(covered)), 100);
  assertMatch(stdout, /Share of the log {2}Share of the run {2}Difference/);
  assertEquals(code, 1);
});

Deno.test("verify --log reads a log in the format that --log-format defines", async () => {
  using folder = await runFolder();
  const text = (folder.read("access.log")).replaceAll(" - - [", "|").replaceAll("] ", "|");
  folder.write("access.log", text.replaceAll(" +0000", ""));
  const format = ["--log-format", '%h|%{%d/%b/%Y:%H:%M:%S}t|"%r" %>s %b'];
  assertEquals((await folder.run(VERIFY_LOG)).code, 1);
  const { code, stdout, stderr } = await folder.run(VERIFY_LOG, format);
  assertMatch(stdout, /^matches the log: /);
  assertEquals(code, 0, stderr);
});

Deno.test("verify --log reports an endpoint whose weight in the plan was doubled", async () => {
  using folder = await runFolder(
    "",
    (plan) =>
      plan.replace(
        /weight: (\d+)\n(\s+)name: GET \/products\n/,
        (_, weight, indent) => `weight: ${2 * weight}\n${indent}name: GET /products\n`,
      ),
  );
  const { code, stdout } = await folder.run(VERIFY_LOG);
  assertMatch(
    stdout,
    /^differs from the log: the mix of endpoints differs, most of all for GET \/products \(/,
  );
  assertStringIncludes(stdout, "more than chance can explain for 400 requests");
  assertEquals(code, 1);
  const json = await folder.run(`${VERIFY_LOG} --format json`);
  const { asTheLog, mix, rate } = JSON.parse(json.stdout);
  assertEquals([asTheLog, mix.beyondChance, rate.differs], [false, true, false]);
  assert(mix.share > 0.1);
});

Deno.test("verify --log reports that a run without any response does not match the log", async () => {
  using folder = await runFolder();
  const ran = folder.readJson("summary.json");
  for (const endpoint of ran.endpoints) endpoint.statuses = { 0: endpoint.count };
  folder.write("summary.json", ran);
  const { code, stdout } = await folder.run(VERIFY_LOG);
  assertMatch(stdout, /^differs from the log: no request got a response\n/);
  assertEquals(code, 1);
});

Deno.test("verify --log refuses the summary of another plan", async () => {
  using folder = await runFolder();
  folder.write("plan.yaml", folder.read("plan.yaml").replaceAll("GET /products", "GET /wares"));
  const { code, stdout, stderr } = await folder.run(VERIFY_LOG);
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, "./summary.json: the run (of ");
  assertStringIncludes(
    stderr,
    ") contains the request GET /products, but this plan does not; verify the plan of this run, " +
      "with `--env` if the run used it, or run this plan with `--summary-export`",
  );
});

Deno.test("verify --log reports that the plan of the run was changed", async () => {
  using folder = await runFolder();
  const changed = /\n {2}plan {7}the run's plan differs from this plan: /;
  assertNotMatch((await folder.run(VERIFY_LOG)).stdout, changed);
  const text = folder.read("plan.yaml");
  folder.write("plan.yaml", text.replace(/rate: 100/, "rate: 50"));
  const { code, stdout } = await folder.run(VERIFY_LOG);
  assertMatch(stdout, changed);
  assertEquals(code, 0);
});

Deno.test("verify --log refuses a file that is not a log, and reports its kind", async () => {
  using folder = await runFolder();
  folder.write("a.har", `{"log": {"version": "1.2", "entries": []}}`);
  await folder.run("convert ./access.log --profile ./profile.json");
  for (
    const [file, error] of [
      ["profile.json", "a traffic profile, not an access log; create a plan from it with "],
      ["a.har", "a HAR recording, not an access log; create a plan from it with "],
      ["plan.yaml", "a plan, not an access log; run it with "],
      ["summary.json", "a summary of a run, not an access log; show it with "],
    ]
  ) {
    const verify = `verify ./plan.yaml --log ./${file} --run ./summary.json`;
    const { code, stdout, stderr } = await folder.run(verify);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, `this is ${error}`);
  }
});
