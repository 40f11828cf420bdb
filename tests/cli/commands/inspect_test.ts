import { assertEquals, assertStringIncludes } from "@std/assert";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli } from "../../support/cli.ts";

const PLAN = `
name: two scenarios
defaults: {http: {base_url: "https://a.example"}}
data: {users: {type: inline, rows: [{id: 1}]}}
scenarios:
  steady:
    executor: constant-arrival-rate
    rate: 2
    duration: 10s
    pre_allocated_vus: 3
    flow: [{request: {url: /a}}, {request: {url: "https://b.example/b"}}]
  ramp:
    executor: ramping-arrival-rate
    start_time: 5s
    stages: [{duration: 10s, target: 6}]
    pre_allocated_vus: 5
    flow:
      - request: {url: /c, extract: [{type: header, name: token, header: x-token}]}
      - request: {url: "/d/\${token}"}
thresholds: {http_req_duration: ["p(95)<400"]}
outputs: [{type: json, path: samples.json}]
`;

Deno.test("inspect prints the load of a plan and draws its flows", async () => {
  const { code, stdout } = await runCli(["inspect", "-"], { stdin: PLAN });
  assertEquals(code, 0);
  assertStringIncludes(stdout, "  targets     https://a.example, https://b.example\n");
  assertStringIncludes(stdout, "  duration    15s\n");
  assertStringIncludes(stdout, "  requests    about 100, without redirects\n");
  // At 15 s, the ramp reaches 6 iterations per second with 2 requests each.
  assertStringIncludes(stdout, "  peak        12/s requests\n");
  assertStringIncludes(stdout, "  writes      samples.json\n");
  assertStringIncludes(stdout, "├─ GET /c  → token\n└─ GET /d/${token}  ← token\n");
});

Deno.test("inspect applies the options of run, and prints JSON", async () => {
  const options = ["--scenario", "steady", "--rate-scale", "5", "--format", "json"];
  const { stdout } = await runCli(["inspect", "-", ...options], { stdin: PLAN });
  const facts = JSON.parse(stdout);
  assertEquals([facts.requests, facts.peakRequestRate, facts.seconds], [200, 20, 10]);
  assertEquals(facts.scenarios[0].requestsPerIteration, { min: 2, max: 2, mean: 2 });
});

Deno.test("inspect predicts the number of requests that a run sends", async () => {
  const demo = startDemo({ catchAll: true });
  const folder = await Deno.makeTempDir();
  try {
    const plan = `${folder}/plan.yaml`;
    await Deno.writeTextFile(
      plan,
      `
scenarios:
  main:
    executor: shared-iterations
    vus: 2
    iterations: 20
    flow:
      - repeat: {times: 3, steps: [{request: {url: "${demo.origin}/a"}}]}
      - random: {choices: [{steps: [{request: {url: "${demo.origin}/b"}}]}]}
`,
    );
    const inspected = await runCli(["inspect", plan, "--format", "json"]);
    await runCli(["run", plan, "--quiet"]);
    assertEquals(JSON.parse(inspected.stdout).requests, demo.stats().requests);
  } finally {
    await demo.stop();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("inspect does not print the number of requests if that number depends on the target", async () => {
  const stdin = PLAN.replace(
    "executor: constant-arrival-rate\n    rate: 2\n    duration: 10s\n    pre_allocated_vus: 3",
    "executor: constant-vus\n    vus: 2\n    duration: 10s",
  );
  const { stdout } = await runCli(["inspect", "-"], { stdin });
  assertStringIncludes(stdout, "  requests    depends on the response times of the target\n");
  const json = JSON.parse((await runCli(["inspect", "-", "--format", "json"], { stdin })).stdout);
  assertEquals([json.requests, json.peakRequestRate], [undefined, undefined]);
});

Deno.test("inspect reports that the peak depends on responses if an `if` step sends requests", async () => {
  const stdin = PLAN.replace(
    '- request: {url: "/d/${token}"}',
    '- if: {condition: {var: token, exists: true}, then: [{request: {url: "/d/${token}"}}]}',
  );
  const { stdout } = await runCli(["inspect", "-"], { stdin });
  assertStringIncludes(stdout, "  requests    depends on the responses\n");
  assertStringIncludes(stdout, "  peak        depends on the responses\n");
});

Deno.test("inspect adds up the durations and `graceful_stop` of scenarios that follow each other", async () => {
  const stdin = PLAN.replace("start_time: 5s", "after: steady\n    start_time: 5s");
  const { stdout } = await runCli(["inspect", "-"], { stdin });
  assertStringIncludes(stdout, "  duration    at most 55s\n");
  // The steady scenario sends 2 × 2 requests per second. The ramp after it reaches 6 × 2.
  assertStringIncludes(stdout, "  peak        12/s requests\n");
  assertStringIncludes(stdout, "ramp (ramping-arrival-rate, starts after steady, ");
});
