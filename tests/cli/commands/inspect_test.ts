import { assertEquals, assertStringIncludes } from "@std/assert";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

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

const STEADY = "executor: constant-arrival-rate\n    rate: 2\n    duration: 10s\n" +
  "    pre_allocated_vus: 3";

/** A text in the plan, what replaces it, and parts of what inspect prints. */
const PRINTED: Record<string, readonly string[]> = {
  "the load of a plan, and draws its flows": [
    ...["", "", "  targets     https://a.example, https://b.example\n", "  duration    15s\n"],
    "  requests    about 100, without redirects\n",
    // At 15 s, the ramp reaches 6 iterations per second with 2 requests each.
    "  peak        12/s requests\n",
    "  writes      samples.json\n",
    "├─ GET /c  → token\n└─ GET /d/${token}  ← token\n",
  ],
  "that the number of requests depends on the target": [
    ...[STEADY, "executor: constant-vus\n    vus: 2\n    duration: 10s"],
    "  requests    depends on the response times of the target\n",
  ],
  "that the peak depends on responses if an `if` step sends requests": [
    '- request: {url: "/d/${token}"}',
    '- if: {condition: {var: token, exists: true}, then: [{request: {url: "/d/${token}"}}]}',
    "  requests    depends on the responses\n",
    "  peak        depends on the responses\n",
  ],
  "the sum of the durations and `graceful_stop` of scenarios that follow each other": [
    ...["start_time: 5s", "after: steady\n    start_time: 5s", "  duration    at most 55s\n"],
    // The steady scenario sends 2 × 2 requests per second. The ramp after it reaches 6 × 2.
    "  peak        12/s requests\n",
    "ramp (ramping-arrival-rate, starts after steady, ",
  ],
};

for (const [name, [from, to, ...parts]] of Object.entries(PRINTED)) {
  Deno.test(`inspect prints ${name}`, async () => {
    const { code, stdout } = await runCli(["inspect", "-"], { stdin: PLAN.replace(from, to) });
    assertEquals(code, 0);
    for (const part of parts) assertStringIncludes(stdout, part);
  });
}

Deno.test("inspect applies the options of run, and prints JSON", async () => {
  const options = ["--scenario", "steady", "--rate-scale", "5", "--format", "json"];
  const { stdout } = await runCli(["inspect", "-", ...options], { stdin: PLAN });
  const facts = JSON.parse(stdout);
  assertEquals([facts.requests, facts.peakRequestRate, facts.seconds], [200, 20, 10]);
  assertEquals(facts.scenarios[0].requestsPerIteration, { min: 2, max: 2, mean: 2 });
});

Deno.test("the JSON of inspect lacks numbers that depend on the target", async () => {
  const stdin = PLAN.replace(STEADY, "executor: constant-vus\n    vus: 2\n    duration: 10s");
  const json = JSON.parse((await runCli(["inspect", "-", "--format", "json"], { stdin })).stdout);
  assertEquals([json.requests, json.peakRequestRate], [undefined, undefined]);
});

Deno.test("inspect predicts the number of requests that a run sends", async () => {
  const demo = startDemo({ catchAll: true });
  using folder = new CliFolder({
    "plan.yaml": `
scenarios:
  main:
    executor: shared-iterations
    vus: 2
    iterations: 20
    flow:
      - repeat: {times: 3, steps: [{request: {url: "${demo.origin}/a"}}]}
      - random: {choices: [{steps: [{request: {url: "${demo.origin}/b"}}]}]}
`,
  });
  const inspected = await folder.run("inspect ./plan.yaml --format json");
  await folder.run("run ./plan.yaml --quiet");
  assertEquals(JSON.parse(inspected.stdout).requests, demo.stats().requests);
  await demo.stop();
});
