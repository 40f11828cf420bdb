import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { freePort } from "../../../scripts/local_port.ts";
import { type DemoOptions, type DemoServer, startDemo } from "../../../src/demo/server.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { CounterStats, RateStats } from "../../../src/engine/summary/flow_stats.ts";
import { VERSION } from "../../../src/base/release.ts";
import { Terminal } from "../../oracles/terminal.ts";
import { type Outcome, runCli, runProcess, type World } from "../../support/cli.ts";
import { serverPair } from "../../support/test_certificates.ts";
import { wireServer } from "../../support/wire_server.ts";
import { CliFolder } from "../../support/cli_folder.ts";

interface Shop extends DemoServer {
  /** Runs the plan whose text is `plan` against the demo shop. */
  run(plan: string, options?: string, world?: World, more?: readonly string[]): Promise<Outcome>;
  readonly folder: CliFolder;
}

async function shop(test: (shop: Shop) => Promise<void>, options?: DemoOptions): Promise<void> {
  const server = startDemo(options);
  using folder = new CliFolder();
  try {
    await test({
      ...server,
      folder,
      async run(plan, options = "", world = {}, more = []) {
        folder.write("plan.yaml", plan);
        const line = `run ./plan.yaml --base-url ${server.origin}${options}`;
        return await folder.run(line, more, world);
      },
    });
  } finally {
    await server.stop();
  }
}

const BROWSE = `
name: browse
scenarios:
  main:
    executor: per-vu-iterations
    vus: 3
    iterations: 5
    flow:
      - request: {url: /, checks: [{type: status, equals: 200, name: it is there}]}
      - request: {url: /api/products}
`;

/** Returns the text of a plan with the given threshold on `http_reqs`. */
const withThreshold = (threshold: string) =>
  `${BROWSE}\nthresholds: {http_reqs: ["${threshold}"]}\n`;

Deno.test("run prints its target and a summary with the number of requests that the server received", () =>
  shop(async ({ run, folder, origin, stats }) => {
    const { code, stdout, stderr } = await run(
      withThreshold("count==30"),
      " --summary-export ./summary.json",
    );
    assertEquals([code, stderr], [
      0,
      `Sending load to ${origin}\nLoad: 1 scenario, at most 3 VUs, at most 10m, about 30 requests\n` +
      "next: `rehearse report ./summary.json -o report.html`\n",
    ]);
    assertMatch(stdout, /✓ +it is there +15 +0 +100\.00%\n/);
    assertMatch(stdout, /\nbrowse: ran \S+, seed \d+\n✓ PASSED 1 threshold\n$/);
    const { metrics, endpoints, shards } = folder.readJson("summary.json") as Summary;
    assertEquals(shards.map(({ shard }) => shard), ["1/1"]);
    assertEquals((metrics.http_reqs as CounterStats).count, 30);
    assertEquals((metrics.http_req_failed as RateStats).value, 0);
    assertEquals(endpoints.map(({ name, count }) => [name, count]), [
      ["GET /", 15],
      ["GET /api/products", 15],
    ]);
    assertEquals(stats(), {
      requests: 30,
      served: [
        { method: "GET", path: "/", status: 200, count: 15 },
        { method: "GET", path: "/api/products", status: 200, count: 15 },
      ],
    });
  }));

Deno.test("run exits with 99 if an assertion ends the run", () =>
  shop(async ({ run }) => {
    const plan = BROWSE.replace(
      "checks: [{type: status, equals: 200, name: it is there}]",
      "assert: [{type: status, equals: 204, on_failure: abort_test}]",
    );
    const { code, stdout } = await run(plan);
    assertEquals(code, 99);
    assertMatch(stdout, /GET \/ +200 +assert +\d+ /);
    assertMatch(stdout, /\nbrowse: ended by an assertion after .*\n✗ FAILED: aborted\n$/);
  }));

Deno.test("run options change the load of the plan", () =>
  shop(async ({ run, stats }) => {
    const options = " --vus 2 --iterations 1 --quiet";
    const { code, stderr } = await run(BROWSE, options);
    assertEquals([code, stderr, stats().requests], [0, "", 4]);
  }));

Deno.test("run does not evaluate thresholds for a single shard, but merge does", () =>
  shop(async ({ origin, folder, stats }) => {
    // Neither shard sends 30 requests. Both read the same file, so it is written before they start.
    folder.write("plan.yaml", withThreshold("count==30"));
    const shards = await Promise.all([1, 2].map((i) => {
      const options = `--shard ${i}/2 --summary-export ./${i}.json`;
      return folder.run(`run ./plan.yaml --base-url ${origin} ${options}`);
    }));
    for (const [i, { code, stdout, stderr }] of shards.entries()) {
      assertEquals(code, 0, stdout);
      assertStringIncludes(stdout, `SHARD ${i + 1}/2, 1 threshold not evaluated`);
      assertStringIncludes(stderr, "`rehearse merge` evaluates the thresholds over all shards.\n");
    }
    const merged = await folder.run("merge ./1.json ./2.json");
    assertEquals([merged.code, merged.stderr], [0, ""], merged.stdout);
    assertEquals(stats().requests, 30);
  }));

Deno.test("merge counts a shard without work as complete", () =>
  shop(async ({ run, folder }) => {
    const shards = [];
    for (const i of [1, 2, 3, 4]) {
      shards.push(await run(BROWSE, ` --shard ${i}/4 --summary-export ./${i}.json`));
    }
    assertEquals(shards.map(({ code }) => code), [0, 0, 0, 0]);
    const files = "./1.json ./2.json ./3.json ./4.json";
    const merged = await folder.run(`merge ${files} --allow shifted`);
    assertEquals([merged.code, merged.stderr], [0, ""], merged.stdout);
  }));

Deno.test("abort_on_fail does not end the run of a single shard", () =>
  shop(async ({ run }) => {
    const plan = `${
      BROWSE.replace("iterations: 5", "iterations: 3\n    pacing: {iterations_per_second: 1}")
    }
thresholds: {http_reqs: [{threshold: "count<1", abort_on_fail: true}]}\n`;
    const whole = await run(plan);
    assertEquals(whole.code, 99);
    assertStringIncludes(whole.stdout, "ended by a threshold after");
    const shard = await run(plan, " --shard 1/2");
    assertEquals(shard.code, 0, shard.stdout);
    assertStringIncludes(
      shard.stderr,
      "Add `--summary-export FILE`: without a summary to merge, the thresholds are never evaluated.",
    );
  }));

/**
 * Converts a recording, runs the plan against a new demo shop, and returns the requests that
 * failed.
 */
async function replay(har: string, ...options: string[]): Promise<string[]> {
  const path = new URL(`../../../${har}`, import.meta.url).pathname;
  const converted = await runCli(["convert", path, ...options]);
  assertEquals(converted.code, 0, converted.stderr);
  const refused: string[] = [];
  await shop(async ({ run, stats }) => {
    const { code, stdout } = await run(converted.stdout, " --vus 2 --iterations 3");
    const { served } = stats();
    for (const { method, path, status, count } of served) {
      assertEquals(count % 6, 0, stdout);
      if (status >= 400) refused.push(`${method} ${path} ${status}`);
    }
    const isRefused = refused.length > 0;
    assertEquals([code, stdout.includes("✗")], [isRefused ? 99 : 0, isRefused], stdout);
  });
  return refused;
}

Deno.test("a converted recording runs repeatedly against fresh servers without stale values", async () => {
  assertEquals(await replay("src/demo/sample/session.har", "--checks", "status"), []);
  assertEquals(await replay("src/demo/sample/session.har", "--checks", "status"), []);
});

Deno.test("a converted recording sends stale values from pages and headers only with `--correlate json`", async () => {
  const args = ["testdata/har/demo_shop_forms.har", "--checks", "status"] as const;
  assertEquals(await replay(...args, "--correlate", "json"), [
    "POST /login 403",
    "POST /cart 403",
    "GET /oauth/consent 403",
    "GET /oauth/callback 403",
  ]);
  for (const all of [[], ["--correlate", "all"]]) assertEquals(await replay(...args, ...all), []);
});

Deno.test("run --once prints each exchange without secrets", () =>
  shop(async ({ run, folder, stats }) => {
    folder.write("key.txt", 'p&ss "word"\n');
    const plan = `
secrets: {key: {file: key.txt}}
scenarios:
  main:
    executor: constant-arrival-rate
    rate: 100
    duration: 1h
    pre_allocated_vus: 10
    flow:
      - request: {url: "/products?q=\${secrets.key}", headers: {x-key: "\${secrets.key}"}}
      - request: {method: POST, url: /api/refresh, body: {json: {refreshToken: "\${secrets.key}"}}}
thresholds: {http_reqs: [count>1000]}
`;
    const { code, stdout, stderr } = await run(plan, " --once --bodies");
    assertEquals([code, stats().requests], [1, 2], stdout);
    assertMatch(stdout, /✗ FAILED: a request failed\n$/);
    assertMatch(stdout, /^#1 GET http:\S+\/products\?q=\*{8}\n(> .*\n)*> x-key: \*{8}\n/m);
    assertStringIncludes(stdout, '\n> {"refreshToken":"********"}\n< 401 in ');
    assertStringIncludes(stdout, '{"error":"the refresh token is unknown or was used before"}');
    assert(!/p(&|%26)ss/.test(stdout + stderr), stdout + stderr);
  }));

Deno.test("run rejects an invalid plan or command line before it sends a request", () =>
  shop(async ({ run, stats, folder, origin }) => {
    const relative = await runCli(["run", "-"], { stdin: BROWSE });
    assertEquals(relative.code, 1);
    assertMatch(relative.stderr, /"\/" is relative.*--base-url.*defaults\.http\.base_url/s);
    const wrongInput: [plan: string, options: string, stderr: RegExp][] = [
      ["scenarios: {a: {executor: constant-vu}}", "", /plan\.yaml:1:\d+: error\[/],
      [BROWSE, " --summary-export ./no/where.json", /cannot write/],
      [`secrets: {k: {file: no.txt}}\n${BROWSE}`, "", /no such file: "no\.txt"/],
    ];
    const wrongUse = ([
      [" -e staging", /no overlay "staging"/],
      [" --scenario mian", /no scenario mian: its only scenario is main; did you mean "main"/],
      [" --rate-scale 2", /--rate-scale has no effect/],
      [" --bodies", /--bodies works only with --once/],
      [" --ui=x", /--ui cannot be x: expected `--ui`, `--ui=PORT` or `--ui=HOST:PORT`/],
      [" --ui --once", /--ui cannot be combined with --once/],
      [" --var x", /--var cannot be x: expected NAME=VALUE/],
      [" --shard 3/2", /--shard cannot be 3\/2/],
    ] as const).map(([options, stderr]) => [BROWSE, options, stderr] as const);
    for (const [cases, expectedCode] of [[wrongInput, 1], [wrongUse, 2]] as const) {
      for (const [plan, options, expected] of cases) {
        const { code, stdout, stderr } = await run(plan, options);
        assertEquals([code, stdout], [expectedCode, ""], stderr);
        assertMatch(stderr, expected);
      }
    }
    assertEquals((await folder.run("run a.yaml b.yaml")).code, 2);
    assertEquals((await folder.run("run --nonsense")).code, 2);
    assertEquals((await folder.run("run ./none.yaml")).code, 1);
    assertEquals(stats().requests, 0, origin);
  }));

/** Returns an origin on which no server listens. */
function deadOrigin(): string {
  return `http://127.0.0.1:${freePort()}`;
}

Deno.test("run fails if no request gets a response, and every report shows this", () =>
  shop(async ({ run, folder }) => {
    const files = " --summary-export ./out.json --junit ./out.xml --html ./out.html";
    const origin = deadOrigin();
    const plan = BROWSE.replace("url: /,", `url: "${origin}/",`)
      .replace("url: /api/products", `url: "${origin}/api/products"`);
    const { code, stdout, stderr } = await run(plan, files);
    assertEquals(code, 1);
    assertMatch(stderr, new RegExp(`\nnext: check that ${origin} is the right address [^\n]+\n$`));
    assertMatch(stdout, /✗ FAILED: no request got a response\n$/);
    const { passed, failure, environment } = folder.readJson("out.json") as Summary;
    assertEquals([passed, failure], [false, "no request got a response"]);
    assertEquals(environment?.targets, [origin]);
    assertStringIncludes(folder.read("out.xml"), 'message="no request got a response"');
    const page = folder.read("out.html");
    assertMatch(page, /class="bad">✗ Failed<\/strong> no request got a response/);
    // A failed threshold does not hide the failure.
    const both = await run(`${plan}\nthresholds: {http_req_failed: ["rate<0.1"]}\n`);
    assertEquals(both.code, 1);
    const once = await run(plan, " --once");
    assertEquals(once.code, 1);
  }));

Deno.test("run suggests fixing the TLS error if every handshake fails", () =>
  shop(async ({ run }) => {
    await using server = wireServer((peer) => peer.untilClosed(), serverPair());
    const base = `https://127.0.0.1:${server.port}`;
    const { code, stdout, stderr } = await run(
      BROWSE.replace("url: /,", `url: "${base}/",`)
        .replace("url: /api/products", `url: "${base}/api/products"`),
      " --once",
    );
    assertEquals(code, 1);
    assertStringIncludes(stdout, "UnknownIssuer (to trust the issuer, set `ca_file` in");
    const next = `next: fix the TLS error above, or check that ${base} is the right address\n`;
    assertStringIncludes(stderr, next);
  }));

Deno.test("run --once exits with 1 if one of many requests fails", () =>
  shop(async ({ run }) => {
    const good = await run(BROWSE, " --once");
    assertEquals(good.code, 0, good.stdout);
    assertMatch(good.stdout, /\nDONE, no thresholds\n$/);
    const plan = BROWSE.replace("url: /api/products", "url: /not/there");
    const { code, stdout, stderr } = await run(plan, " --once");
    assertEquals(code, 1);
    assertMatch(stdout, /✗ FAILED: a request failed\n$/);
    assertMatch(stderr, /\nnext: add `--bodies` to print the bodies too\n$/);
    const all = await run(plan, " --once=all --bodies");
    assertMatch(all.stderr, /\nnext: add `--html report\.html` for a report with charts\n$/);
    assertEquals((await run(plan)).code, 0);
  }));

Deno.test("run states that the responses were not checked if the plan replays a recording without checks", async () => {
  const plan = `
defaults: {http: {follow_redirects: false}}
scenarios:
  recorded:
    executor: per-vu-iterations
    vus: 1
    iterations: 2
    flow:
      - request: {method: POST, url: /login, tags: {recorded: "1"}CHECKS}
      - request: {url: /account, tags: {recorded: "2"}}
`;
  // The server refuses the login: it responds with the login page again.
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("<form>Wrong password</form>", { headers: { "content-type": "text/html" } }),
  );
  using folder = new CliFolder();
  const run = async (checks: string, thresholds = "") => {
    folder.write("plan.yaml", plan.replace("CHECKS", checks) + thresholds);
    return await folder.run(`run ./plan.yaml --base-url http://127.0.0.1:${server.addr.port}`);
  };
  const unknown = await run("");
  assertEquals(unknown.code, 0);
  assertMatch(unknown.stdout, /\nDONE, no thresholds; ⚠ the responses were not checked\n$/);
  const slow = await run("", "thresholds: {http_req_duration: [p(95)<60000]}\n");
  assertMatch(slow.stdout, /\n✓ PASSED 1 threshold; ⚠ the responses were not checked\n$/);
  const check = ", checks: [{type: status, equals: 302}]";
  const checked = await run(check);
  assertMatch(checked.stdout, /\nDONE, no thresholds; ⚠ 2 of 2 checks failed \(100\.00%\)\n$/);
  assertEquals((await run(check, "thresholds: {checks: [rate==1]}\n")).code, 99);
});

Deno.test("run --once numbers requests as in the plan, and lists what failed after each response", () =>
  shop(async ({ run }) => {
    const plan = `
setup: [{request: {url: /}}]
teardown: [{request: {url: /}}]
scenarios:
  main:
    executor: constant-vus
    vus: 1
    duration: 1s
    flow:
      - request: {url: /, checks: [{type: status, equals: 200}]}
      - retry:
          attempts: 2
          until: {type: status, equals: 418}
          steps:
            - request:
                url: /api/products
                checks:
                  - {type: status, equals: 418, name: is a teapot}
                  - {type: header, header: X-None, equals: a}
                  - {type: jsonpath, expression: "$[0].none", exists: true}
                  - {type: duration, max: 1h}
                  - {type: body_contains, value: "\\x1b[31m"}
                extract: [{type: regex, name: id, expression: "(no such text)"}]
      - request: {url: "/products/\${id}"}
      - request: {url: /, assert: [{type: status, equals: 418}]}
`;
    const { stdout } = await run(plan, " --once");
    const lines = stdout.split("\n").filter((line) => line.startsWith("#"))
      .map((line) => line.replace(/http:\/\/[^/]+/, ""));
    const failed = [
      "#2 ✗ is a teapot: expected status equals 418, got 200",
      "#2 ✗ header header X-None equals a: got no such header",
      "#2 ✗ jsonpath expression $[0].none exists true: got no such value",
      "#2 ✗ body_contains value \\x1b[31m",
    ];
    assertEquals(lines, [
      "#setup GET /",
      "#1 GET /",
      "#2 GET /api/products",
      ...failed,
      "#2 GET /api/products",
      ...failed,
      '#3 ✗ GET /products/${id} was not sent: the variable "id" is not set',
      "#4 GET /",
      "#4 ✗ status equals 418: got 200",
      "#teardown GET /",
    ]);
    // A failed check follows the response, without an empty line.
    assertMatch(stdout, /\n< .*\n#2 ✗ is a teapot: .*\n#2 ✗ /);
    assertMatch(stdout, /\n\n#2 GET .*\n> /);
  }));

Deno.test("run --once numbers the requests of one scenario as in the whole plan", () =>
  shop(async ({ run }) => {
    const scenario = (name: string, url: string) =>
      `  ${name}: {executor: constant-vus, vus: 1, duration: 1s, flow: [{request: {url: ${url}}}]}\n`;
    const plan = `scenarios:\n${scenario("first", "/")}${scenario("second", "/products")}`;
    const { stdout } = await run(plan, " --once --scenario second");
    assertMatch(stdout, /^#2 GET http:\/\/[^/]+\/products\n/);
  }));

Deno.test("run --once reports that the thresholds of the plan are not evaluated", () =>
  shop(async ({ run, folder }) => {
    const plan = `${BROWSE}\nthresholds: {http_reqs: [count>1000], checks: [rate>0.9]}\n`;
    const files = "--summary-export ./summary.json --junit ./junit.xml";
    const { code, stdout } = await run(plan, ` --once ${files} --format github`);
    assertEquals(code, 0, stdout);
    assertMatch(stdout, /\nDONE, 2 thresholds not evaluated with --once\n/);
    assertMatch(stdout, /^::notice .*::2 thresholds not evaluated$/m);
    const { thresholds, passed } = folder.readJson("summary.json") as Summary;
    assertEquals([passed, thresholds.map(({ passed }) => passed)], [null, [null, null]]);
    assertMatch(folder.read("junit.xml"), /message="not evaluated with `--once`"/);
  }));

Deno.test("the summary contains the options of the run, but no passwords or variable values", () =>
  shop(async ({ run, folder, origin }) => {
    const plan = `variables: {token: none}\n${BROWSE}`;
    const options = " --vus 2 --var token=hush --quiet --summary-export ./summary.json";
    await run(plan, options);
    const text = folder.read("summary.json");
    const { environment } = JSON.parse(text) as Summary;
    assertEquals({ ...environment, cores: 0 }, {
      version: VERSION,
      plan: `${folder.path}/plan.yaml`,
      targets: [origin],
      options: ["--vus 2", "--var token"],
      cores: 0,
      workers: 1,
    });
    assertEquals(text.includes("hush"), false);
  }));

const SLOW = `
scenarios:
  main:
    executor: constant-vus
    vus: 2
    duration: 10m
    graceful_stop: 5m
    flow:
      - request: {url: ORIGIN/}
thresholds: {http_reqs: [count>1000]}
`;

/** Creates a simulated keyboard. `press` calls the Ctrl-C handlers that `interrupts` has added. */
function keyboard() {
  let acts: (() => void)[] = [];
  return {
    interrupts: (act: () => void) => {
      acts.push(act);
      return () => acts = acts.filter((other) => other !== act);
    },
    press: () => acts.forEach((act) => act()),
    listeners: () => acts.length,
  };
}

/** Server that responds to requests only after `release` is called. */
class HoldingServer implements AsyncDisposable {
  received = 0;
  readonly #both = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async () => {
      if (++this.received === 2) this.#both.resolve();
      await this.#released.promise;
      return new Response();
    },
  );
  /** Resolves once two requests, one from each VU, are waiting for a response. */
  readonly bothWait = this.#both.promise;

  /** Text of the plan `SLOW`, with this server as its target. */
  get plan(): string {
    return SLOW.replace("ORIGIN", `http://127.0.0.1:${this.#server.addr.port}`);
  }

  release(): void {
    this.#released.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    await this.#server.shutdown();
  }
}

Deno.test("after Ctrl-C, run waits for running iterations and prints the summary", () =>
  shop(async ({ run }) => {
    await using server = new HoldingServer();
    const { interrupts, press, listeners } = keyboard();
    const outcome = run(server.plan, "", { interrupts });
    await server.bothWait;
    press();
    server.release();
    const { code, stdout, stderr } = await outcome;
    // It listens until it exits: otherwise a further signal would change the exit code.
    assertEquals([code, listeners()], [130, 1]);
    assertStringIncludes(stderr, "Stopping: waiting for running iterations");
    assertMatch(stdout, /\ninterrupted after .*\n✗ FAILED 1 of 1 threshold\n$/);
    assertMatch(stdout, /http_req_failed +0\.00%/);
    assertEquals(server.received, 2);
  }));

Deno.test("run --ui serves a live view and prints its URL", () =>
  shop(async ({ run }) => {
    await using server = new HoldingServer();
    const { interrupts, press } = keyboard();
    let printed = "";
    let served = (_url: string) => {};
    const url = new Promise<string>((resolve) => served = resolve);
    const onStderr = (text: string) => {
      printed += text;
      const [found] = /(?<=Live view: )\S+/.exec(printed) ?? [];
      if (found) served(found);
    };
    const outcome = run(server.plan, " --ui=0", { interrupts, onStderr });
    const page = await fetch(await url);
    assertStringIncludes(await page.text(), "Waiting</strong>");
    const events = await (await fetch(`${await url}events`)).body!;
    await server.bothWait;
    press();
    server.release();
    const text = await new Response(events).text();
    assertStringIncludes(text, "event: end\n");
    assertEquals((await outcome).code, 130);
  }));

Deno.test("run --quiet --ui prints nothing to standard error", () =>
  shop(async ({ run }) => {
    await using server = new HoldingServer();
    const { interrupts, press } = keyboard();
    const outcome = run(server.plan, " --ui=0 --quiet", { interrupts });
    await server.bothWait;
    press();
    server.release();
    const { code, stderr } = await outcome;
    assertEquals([code, stderr], [130, ""]);
  }));

Deno.test("run shows the dashboard on the alternate screen and the summary on the main screen", () =>
  shop(async ({ run, stats }) => {
    const terminal = new Terminal(80, 24);
    const shown: string[][] = [];
    const onStderr = (text: string) => {
      terminal.write(text);
      if (terminal.isOther) shown.push(terminal.screen);
    };
    const plan = withThreshold("count>5").replace("flow:", "flow:\n      - think_time: 250ms");
    const { code, stdout, stderr } = await run(plan, "", { columns: 80, rows: 24, onStderr });
    assertEquals([code, stats().requests], [0, 30], stderr);
    const [first] = shown;
    assertMatch(first[0], /^ browse +[\d.]+s of (?:at most )?10m {2}\d+%$/);
    assertMatch(first.join("\n"), /✓ +http_reqs +count>5 +\d+\n/);
    terminal.write(stdout);
    assert(terminal.cursorShown && !terminal.isOther);
    const [where, load, ...rest] = terminal.history;
    assertMatch(where, /^Sending load to /);
    assertMatch(load, /^Load: 1 scenario, /);
    const summary = rest.slice(rest.indexOf("Thresholds"));
    assertMatch(
      rest.slice(0, -summary.length).join(""),
      /^next: add `--html report.html` for a report with charts$/,
    );
    // deno-lint-ignore no-control-regex -- matches color sequences
    const colors = /\x1b\[\d*m/g;
    assertEquals(summary.join("\n") + "\n", stdout.replaceAll(colors, ""));
    const plain = await run(plan, " --no-color", { columns: 80, rows: 24 });
    assertStringIncludes(plain.stderr, "\x1b[?1049h");
    assertEquals([plain.stderr, plain.stdout].join("").match(colors), null);
  }));

Deno.test("a second Ctrl-C aborts running iterations", () =>
  shop(async ({ run }) => {
    await using server = new HoldingServer();
    const { interrupts, press } = keyboard();
    const outcome = run(server.plan, "", { interrupts });
    await server.bothWait;
    press();
    press();
    const { code, stdout } = await outcome;
    assertEquals(code, 130);
    assertStringIncludes(stdout, "2 iterations cut off");
  }));

Deno.test("run needs only the permissions that it reports as missing", () =>
  shop(async ({ folder, origin }) => {
    const path = folder.write("plan.yaml", BROWSE.replaceAll("url: /", `url: ${origin}/`));
    const host = new URL(origin).host;
    const none = await runProcess([], ["run", path]);
    assertEquals([none.code, none.stdout], [1, ""]);
    assertMatch(none.stderr, /^error: .*--allow-read=\S+plan\.yaml[^\n]*\n$/);
    const noNet = await runProcess([`--allow-read=${path}`], ["run", path]);
    assertEquals(noNet.code, 1);
    assertMatch(
      noNet.stderr,
      new RegExp(`^error: cannot connect to ${host}: .*--allow-net=${host}`),
    );
    const granted = [`--allow-read=${path}`, `--allow-net=${host}`];
    const threads = await runProcess(granted, ["run", path, "--workers", "2"]);
    assertEquals(threads.code, 1);
    assertMatch(threads.stderr, /error: cannot start the load thread: .*`--allow-read=\S+\/src`/);
    const source = new URL("../../../src", import.meta.url).pathname;
    for (
      const [workers, read] of [["1", path], ["2", `${path},${source}`]]
    ) {
      const permissions = [`--allow-read=${read}`, `--allow-net=${host}`];
      const { code, stderr } = await runProcess(permissions, ["run", path, "--workers", workers]);
      assertEquals(code, 0, stderr);
      assertMatch(stderr, /^Sending load to \S+\nLoad: 1 scenario, [^\n]+\nnext: [^\n]+\n$/);
    }
  }));

Deno.test("run does not request network permission in advance for a host name that contains a variable", () =>
  shop(async ({ run }) => {
    const found = "extract: [{type: regex, name: HOST, expression: '(never)', default: nowhere}]";
    const plan = BROWSE.replace("{url: /,", `{url: /, ${found},`)
      .replace("{url: /api/products}", '{url: "http://${HOST}/"}');
    const { code, stderr } = await run(plan);
    assertEquals(code, 0, stderr);
  }));

Deno.test("--base-url and overlays replace the recorded origin in `Origin` and `Referer` headers", async () => {
  const received = new Set<string>();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ headers, url }) => {
      received.add(`${headers.get("origin")} ${headers.get("referer")}`);
      return new Response(null, {
        status: headers.get("origin") === new URL(url).origin ? 200 : 403,
      });
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  using folder = new CliFolder({
    "plan.yaml": `
defaults: {http: {base_url: "http://127.0.0.1:9", headers: {Origin: "http://127.0.0.1:9"}}}
env: {staging: {defaults: {http: {base_url: "${origin}"}}}}
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request: {url: /, method: POST, headers: {Referer: "http://127.0.0.1:9/cart"}}
thresholds: {http_req_failed: ["rate==0"]}
`,
  });
  for (const options of [`--base-url ${origin}`, "--env staging"]) {
    const { code, stdout } = await folder.run(`run ./plan.yaml --quiet ${options}`);
    assertEquals(code, 0, stdout);
  }
  assertEquals([...received], [`${origin} ${origin}/cart`]);
});
