import type { Flag } from "../command/command.ts";

const LOAD = "Load";
const REPORT = "Report";
const DISTRIBUTED = "Several cores and machines";

/** Options of `rehearse run`. */
export const RUN_FLAGS: readonly Flag[] = [
  { name: "base-url", value: "URL", help: "Base URL for relative URLs: http://HOST[:PORT][/PATH]" },
  { name: "env", short: "e", value: "NAME", help: "Apply the plan's overlay NAME" },
  {
    name: "scenario",
    value: "NAME",
    repeats: true,
    help: "Run only this scenario",
  },
  { name: "var", value: "NAME=VALUE", repeats: true, help: "Set a variable of the plan" },
  {
    name: "once",
    value: "CHOICES",
    bare: "one",
    choices: ["one", "all"],
    help:
      "Run each scenario's flow once and print every request and response; for a `random` step, run " +
      "one of the choices, or all",
  },
  { name: "yes", help: "Send recorded requests to a public host without asking" },
  { name: "bodies", help: "With --once, also print bodies" },
  {
    name: "seed",
    value: "N",
    help: "Seed for random numbers; runs with the same seed draw the same numbers",
  },
  {
    name: "vus",
    value: "N",
    group: LOAD,
    help: "Use N VUs per scenario (at most N in ramping scenarios)",
  },
  {
    name: "iterations",
    value: "N",
    group: LOAD,
    help: "Run N iterations, per VU or in total, depending on the scenario's executor",
  },
  {
    name: "duration",
    value: "DURATION",
    group: LOAD,
    help:
      "Run each scenario for DURATION, such as 30s or 5m; stages keep their proportions; a scenario with a number of iterations may end earlier",
  },
  {
    name: "rate",
    value: "N",
    group: LOAD,
    help: "For a URL: start N requests per second",
  },
  {
    name: "rate-scale",
    value: "FACTOR",
    group: LOAD,
    help:
      "Multiply arrival rates by FACTOR; if FACTOR is above 1, also multiply the VUs of scenarios with an arrival rate",
  },
  {
    name: "summary-export",
    file: "write",
    group: REPORT,
    help: "Write the summary to FILE as JSON; `rehearse merge` merges such files",
  },
  {
    name: "html",
    file: "write",
    group: REPORT,
    help: "Write a report with charts to FILE: one self-contained HTML page",
  },
  {
    name: "junit",
    file: "write",
    group: REPORT,
    help: "Write thresholds and checks to FILE as JUnit XML",
  },
  {
    name: "allow-output",
    value: "PATH",
    repeats: true,
    group: REPORT,
    help: "Allow the plan's outputs to write to this file or folder outside the plan's folder",
  },
  {
    name: "format",
    value: "FORMAT",
    choices: ["text", "github"],
    group: REPORT,
    default: "text",
    help:
      "Format of the summary; github adds annotations for a GitHub job, and appends the summary to " +
      "the file specified by GITHUB_STEP_SUMMARY",
  },
  {
    name: "run-id",
    value: "ID",
    group: REPORT,
    default: "the name of the fleet's run, or random",
    help: "Label exported metrics with this run id",
  },
  {
    name: "instance",
    value: "NAME",
    group: REPORT,
    default: "the host name",
    help: "Label exported metrics with this process name",
  },
  {
    name: "ui",
    value: "ADDR",
    optional: true,
    group: REPORT,
    default: "127.0.0.1:6070",
    help: "Serve a live view for browsers at ADDR: PORT or HOST:PORT; port 0 chooses a free port",
  },
  {
    name: "allow",
    value: "FLAW",
    choices: ["incomplete"],
    group: REPORT,
    help: "Let the thresholds decide although the run did less than planned",
  },
  { name: "quiet", group: REPORT, help: "Print only the summary at the end" },
  { name: "no-color", group: REPORT, help: "Do not use colors on a terminal" },
  {
    name: "workers",
    value: "N",
    group: DISTRIBUTED,
    default: "as many as the plan's rates and VUs need, at most 1 per core",
    help: "Generate load on N threads, at most 4 per core",
  },
  {
    name: "shard",
    value: "I/N",
    suggests: ["auto"],
    group: DISTRIBUTED,
    help: "Run only the I-th of N equal shards; `auto` reads the index that a scheduler " +
      "(Kubernetes, Slurm, Nomad, AWS Batch) passes in an environment variable",
  },
  {
    name: "shards",
    value: "N",
    group: DISTRIBUTED,
    help: "Number of shards, for --fleet and --shard auto",
  },
  {
    name: "fleet",
    value: "ADDRESS",
    group: DISTRIBUTED,
    help:
      "Lead a run of `rehearse join` processes: nats://HOST:PORT/RUN specifies the bus and the run",
  },
  {
    name: "join-timeout",
    value: "DURATION",
    group: DISTRIBUTED,
    default: "2m",
    help: "With --fleet, maximum time to wait until all shards are ready",
  },
  {
    name: "orphan-timeout",
    value: "DURATION",
    group: DISTRIBUTED,
    default: "1m",
    help: "With --fleet, shards stop if they lose contact with the leader for this long, and the " +
      "leader stops if it loses contact with the bus for this long",
  },
  {
    name: "tolerate-lost",
    value: "N",
    group: DISTRIBUTED,
    default: "0",
    help: "With --fleet, fail only if more than N shards are lost",
  },
];
