import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runBounded } from "../support/bounded_process.ts";
import { TempFolder } from "../support/temp_folder.ts";

/** Writes the plan whose text is `plan` to a new temporary folder, and runs it. */
async function running(
  plan: string,
  treatment: Parameters<typeof runBounded>[1] = {},
  options: readonly string[] = ["--quiet"],
) {
  using temp = new TempFolder();
  const folder = temp.path;
  await Deno.writeTextFile(`${folder}/plan.yaml`, plan);
  return await runBounded(["run", `${folder}/plan.yaml`, ...options], treatment);
}

/**
 * Returns the text of a plan with one scenario, which sends `GET /`. `scenario` contains the other
 * settings of the scenario in YAML.
 */
function getting(base: string, scenario: string): string {
  return `
name: ends
defaults: {http: {base_url: "${base}"}}
scenarios:
  s: {${scenario}, graceful_stop: 0s, flow: [{request: {url: /}}]}
`;
}

const unshare = await withoutNetwork();
const isLinux = Deno.build.os === "linux";

Deno.test({
  name: "a run ends if connections fail because no file descriptors are left",
  ignore: !isLinux,
  fn: async () => {
    await using server = serving("");
    for (
      const executor of [
        "executor: constant-vus, vus: 400, duration: 1s",
        "executor: ramping-vus, start_vus: 400, stages: [{duration: 1s, target: 400}]",
      ]
    ) {
      const ended = await running(getting(server.url, executor), { setup: "ulimit -n 256" });
      // Whether VUs that have a file descriptor get a response depends on the machine.
      const hasNoResponse = /no request got a response/.test(ended.stdout);
      assertEquals(ended.code, hasNoResponse ? 1 : 0, ended.stderr);
      assertMatch(ended.stdout, /cannot connect/);
    }
  },
});

Deno.test({
  name: "a run ends if connections fail because there is no route",
  ignore: unshare === undefined, // Needs root or user namespaces.
  fn: async () => {
    const plan = getting("http://10.1.2.3:19400", "executor: constant-vus, vus: 1, duration: 1s");
    const ended = await running(plan, { prefix: unshare });
    assertEquals(ended.code, 1, ended.stderr);
    assertMatch(ended.stdout, /unreachable/);
  },
});

Deno.test("a run ends if connections fail because the address is invalid", async () => {
  const plan = getting("http://ll.test", "executor: constant-vus, vus: 1, duration: 1s")
    .replace("http: {", 'http: {hosts: {ll.test: "[fe80::1]:19400"}, ');
  const ended = await running(plan);
  assertEquals(ended.code, 1, ended.stderr);
  assertMatch(ended.stdout, /cannot connect/);
});

for (
  const [what, step] of [
    ["repeat", "{repeat: {times: 1.0e+12, steps: [STEP]}}"],
    ["while", "{while: {condition: {var: vu, equals: 1}, max_iterations: 1.0e+12, steps: [STEP]}}"],
    ["retry", "{retry: {attempts: 1.0e+12, until: {var: vu, equals: 2}, steps: [STEP]}}"],
    [
      "nested",
      "{repeat: {times: 900, steps: [{repeat: {times: 900, steps: [{repeat: {times: 900, steps: [{repeat: {times: 900, steps: [STEP]}}]}}]}}]}}",
    ],
    ["parallel", "{repeat: {times: 1.0e+12, steps: [{parallel: {branches: [[STEP]]}}]}}"],
    ["faulty template", "{repeat: {times: 1.0e+12, steps: [{request: {url: '/${nothing}'}}]}}"],
  ]
) {
  Deno.test(`a loop that never waits ends at max_duration: ${what}`, async () => {
    const nothing = "{if: {condition: {var: vu, equals: 2}, then: [{request: {url: /}}]}}";
    const ended = await running(`
name: ends
defaults: {http: {base_url: "http://127.0.0.1:9"}}
scenarios:
  s:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    max_duration: 500ms
    graceful_stop: 0s
    flow:
      - {request: {url: /, extract: [{type: header, name: nothing, header: x}]}}
      - ${step.replace("STEP", nothing)}
`);
    assertEquals(ended.code, 1, ended.stderr);
    assertMatch(ended.stdout, /no request got a response/i);
  });
}

Deno.test("a run ends if every response is 5 MB of unclosed HTML elements", async () => {
  await using server = serving("<div>".repeat(1_000_000));
  for (const type of ["css", "xpath"]) {
    const extract = `extract: [{type: ${type}, name: x, expression: "${
      type === "css" ? "span" : "//span"
    }"}]`;
    const plan = getting(server.url, "executor: constant-vus, vus: 4, duration: 1s")
      .replace("{url: /}", `{url: /, ${extract}}`);
    const ended = await running(plan);
    // Whether a response arrives before the end depends on the machine.
    const hasNoResponse = /no request got a response/.test(ended.stdout);
    assertEquals(ended.code, hasNoResponse ? 1 : 0, ended.stderr);
    if (!hasNoResponse) {
      assertMatch(ended.stdout, /the markup is nested deeper than 1000 elements/);
    }
  }
});

/**
 * Returns a schedule that sends `signal` every half second. Two signals would be enough, but
 * signals that arrive while the process stalls are merged into one. A signal that arrives while the
 * process exits must not change its exit code.
 */
function repeated(signal: Deno.Signal): (readonly [seconds: number, signal: Deno.Signal])[] {
  return Array.from({ length: 120 }, (_, i) => [2 + i / 2, signal]);
}

Deno.test("Ctrl-C ends a run that cannot keep up with its rate", async () => {
  await using server = serving("");
  const rate =
    "executor: constant-arrival-rate, rate: 10000000, duration: 1h, pre_allocated_vus: 2";
  const ended = await running(
    getting(server.url, rate),
    { ready: server.reached, signals: repeated("SIGINT") },
    ["--workers", "1"],
  );
  assertEquals(ended.code, 130, ended.stderr);
  assertMatch(ended.stdout, /interrupted after/);
  assertMatch(ended.stdout, /http_reqs +[\d,]{3,} /, "2 VUs send hundreds of requests each second");
});

/**
 * Returns the text of a plan with a regular expression that takes exponential time to match 40 `a`
 * characters.
 */
function backtracking(base: string, duration: string): string {
  return getting(base, `executor: constant-vus, vus: 2, duration: ${duration}`).replace(
    "{url: /}",
    '{url: /, extract: [{type: regex, name: x, expression: "((a+)+)!$"}]}',
  );
}

for (const workers of ["1", "2"]) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.test({
      name: `the second ${signal} ends a run with blocked threads (--workers ${workers})`,
      ignore: Deno.build.os === "windows",
      fn: async () => {
        await using server = serving("a".repeat(40));
        const ended = await running(
          backtracking(server.url, "1h"),
          {
            ready: server.reached,
            signals: repeated(signal),
            permissions: ["--allow-read", `--allow-net=${server.host}`],
          },
          ["--workers", workers],
        );
        assertEquals(ended.code, workers === "1" ? 137 : 1, ended.stderr);
        assertMatch(ended.stderr, /^error: could not end the run normally: .* with an expression/m);
      },
    });
  }
}

Deno.test("a run with blocked threads ends soon after its planned end", async () => {
  await using server = serving("a".repeat(40));
  const plan = backtracking(server.url, "1s");
  const ended = await Promise.all(
    ["1", "2"].map((workers) => running(plan, {}, ["--workers", workers])),
  );
  assertEquals(ended.map(({ code }) => code), [137, 1], JSON.stringify(ended));
});

Deno.test({
  name: "commands reject an endless device file as a log, plan or summary",
  ignore: !isLinux,
  fn: async () => {
    for (const device of ["/dev/zero", "/dev/full"]) {
      for (
        const [command, why] of [
          [["convert", "--from", "accesslog"], "its first 64 MiB have no line break"],
          [["validate"], "it is larger than 64 MiB"],
          [["run"], "it is larger than 64 MiB"],
          [["report"], "it is larger than 64 MiB"],
          [["merge", "x"], ""],
        ] as const
      ) {
        const ended = await runBounded([...command, device]);
        assertEquals(ended.code, 1, ended.stderr);
        assertStringIncludes(ended.stdout + ended.stderr, why);
      }
    }
  },
});

Deno.test("run rejects more than 4 workers per core", async () => {
  const plan = getting("http://127.0.0.1:9", "executor: constant-vus, vus: 1, duration: 1s");
  const most = 4 * navigator.hardwareConcurrency;
  const ended = await running(plan, {}, ["--workers", String(most + 1)]);
  assertEquals(ended.code, 2, ended.stderr);
  assertStringIncludes(ended.stderr, `expected a whole number from 1 to ${most}`);
});

Deno.test({
  name: "Ctrl-C ends a conversion whose pattern takes polynomial time",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const log = await Deno.makeTempFile();
    try {
      const line = `1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] "GET /${
        "a".repeat(100_000)
      } HTTP/1.1" 200 1`;
      await Deno.writeTextFile(log, `${line}\n`.repeat(200));
      const ended = await runBounded(
        ["convert", "--from", "accesslog", log, "--include", "^.a*a*a*b$"],
        { signals: [[2, "SIGINT"]], readyText: "" },
      );
      assertEquals(ended.code, 130, ended.stderr);
    } finally {
      await Deno.remove(log);
    }
  },
});

/**
 * Returns the arguments to put before a command to run it without network access. Returns undefined
 * if the system does not allow this.
 */
async function withoutNetwork(): Promise<readonly string[] | undefined> {
  for (const options of ["-n", "-rn"]) {
    try {
      const command = new Deno.Command("unshare", { args: [options, "true"], stderr: "null" });
      if ((await command.output()).success) return ["unshare", options];
    } catch {
      break; // `unshare` is not installed.
    }
  }
  return undefined;
}

function serving(body: string) {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    resolve();
    return new Response(body, { headers: { "content-type": "text/html" } });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  return {
    host,
    url: `http://${host}`,
    /** Resolves when the server receives the first request. */
    reached,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
