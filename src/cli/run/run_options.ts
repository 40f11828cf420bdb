import { parseUiAddress } from "../live/live_view.ts";
import {
  choice,
  duration,
  fileToWrite,
  type Given,
  grouped,
  type Option,
  parsed,
  positiveNumber,
  repeated,
  text,
  toggle,
  wholeNumber,
} from "../command/options.ts";
import { shardOption } from "./shard_index.ts";

const LOAD = { group: "Load" };
const DISTRIBUTED = { group: "Several cores and machines" };

const PLAN = { input: "a plan" };

export const PLAN_CHANGES = {
  baseUrl: text({
    ...PLAN,
    value: "URL",
    help: "Base URL for relative URLs: http://HOST[:PORT][/PATH]",
  }),
  env: text({ ...PLAN, short: "e", value: "NAME", help: "Apply the plan's overlay NAME" }),
  scenario: repeated({ ...PLAN, value: "NAME", help: "Run only this scenario" }),
  var: repeated(
    { ...PLAN, value: "NAME=VALUE", help: "Set a variable of the plan" },
    "NAME=VALUE",
    (text): [name: string, value: string] | undefined => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      return name === undefined ? undefined : [name, value];
    },
  ),
};

export const LOAD_CHANGES = {
  vus: wholeNumber(
    { ...LOAD, help: "Use N VUs per scenario (at most N in ramping scenarios)" },
    1,
  ),
  iterations: wholeNumber({
    ...LOAD,
    help: "Run N iterations, per VU or in total, depending on the scenario's executor",
  }, 1),
  duration: text({
    ...LOAD,
    value: "DURATION",
    help:
      "Run each scenario for DURATION, such as 30s or 5m; stages keep their proportions; a scenario with a number of iterations may end earlier",
  }),
  rateScale: positiveNumber({
    ...LOAD,
    ...PLAN,
    value: "FACTOR",
    help:
      "Multiply arrival rates by FACTOR; if FACTOR is above 1, also multiply the VUs of scenarios with an arrival rate",
  }),
};

const REPORTS = grouped({ group: "Report" }, {
  summaryExport: fileToWrite({
    help: "Write the summary to FILE as JSON; `rehearse merge` merges such files",
  }),
  html: fileToWrite({
    help: "Write a report with charts to FILE: one self-contained HTML page",
  }),
  junit: fileToWrite({ help: "Write thresholds and checks to FILE as JUnit XML" }),
  allowOutput: repeated({
    value: "PATH",
    help: "Allow the plan's outputs to write to this file or folder outside the plan's folder",
  }),
  format: choice(["text", "github"], {
    default: "text",
    help:
      "Format of the summary; github adds annotations for a GitHub job, and appends the summary to " +
      "the file specified by GITHUB_STEP_SUMMARY",
  }),
  runId: text({
    value: "ID",
    otherwise: "the name of the fleet's run, or random",
    help: "Label exported metrics with this run id",
  }),
  instance: text({
    value: "NAME",
    otherwise: "the host name",
    help: "Label exported metrics with this process name",
  }),
  ui: parsed(
    {
      value: "ADDR",
      optional: true,
      otherwise: "127.0.0.1:6070",
      conflicts: { once: "a trial run has no load to show" },
      help: "Serve a live view for browsers at ADDR: PORT or HOST:PORT; port 0 chooses a free port",
    },
    "`--ui`, `--ui=PORT` or `--ui=HOST:PORT`",
    parseUiAddress,
  ),
  allow: choice(["incomplete"], {
    value: "FLAW",
    help: "Let the thresholds decide although the run did less than planned",
  }),
  quiet: toggle({ help: "Print only the summary at the end" }),
  noColor: toggle({ help: "Do not use colors on a terminal" }),
});

export const WORKERS: Option<number | undefined> = wholeNumber(
  {
    otherwise: "as many as the plan's rates and VUs need, at most 1 per core",
    help: "Generate load on N threads, at most 4 per core",
  },
  1,
  4 * navigator.hardwareConcurrency,
);

const FLEET = grouped(DISTRIBUTED, {
  workers: WORKERS,
  shard: shardOption(
    "Run only the I-th of N equal shards; `auto` reads the index that a scheduler " +
      "(Kubernetes, Slurm, Nomad, AWS Batch) passes in an environment variable",
  ),
  shards: wholeNumber({ help: "Number of shards, for --fleet and --shard auto" }, 1, 100_000),
  fleet: text({
    value: "ADDRESS",
    with: "shards",
    conflicts: {
      once: "run the plan without --fleet",
      shard: "each `rehearse join` gets its own shard",
      workers: "pass it to `rehearse join`",
    },
    help:
      "Lead a run of `rehearse join` processes: nats://HOST:PORT/RUN specifies the bus and the run",
  }),
  joinTimeout: duration({
    with: "fleet",
    default: "2m",
    help: "With --fleet, maximum time to wait until all shards are ready",
  }),
  orphanTimeout: duration({
    with: "fleet",
    default: "1m",
    help: "With --fleet, shards stop if they lose contact with the leader for this long, and the " +
      "leader stops if it loses contact with the bus for this long",
  }),
  tolerateLost: wholeNumber({
    with: "fleet",
    default: "0",
    help: "With --fleet, fail only if more than N shards are lost",
  }),
});

export const RUN_OPTIONS = {
  ...PLAN_CHANGES,
  once: choice(["one", "all"], {
    value: "CHOICES",
    bare: "one",
    help:
      "Run each scenario's flow once and print every request and response; for a `random` step, run " +
      "one of the choices, or all",
  }),
  yes: toggle({ help: "Send recorded requests to a public host without asking" }),
  bodies: toggle({ with: "once", help: "With --once, also print bodies" }),
  seed: wholeNumber({
    help: "Seed for random numbers; runs with the same seed draw the same numbers",
  }),
  vus: LOAD_CHANGES.vus,
  iterations: LOAD_CHANGES.iterations,
  duration: LOAD_CHANGES.duration,
  rate: positiveNumber({
    ...LOAD,
    value: "N",
    input: "a URL",
    elsewhere: "use --rate-scale",
    conflicts: { iterations: "use --duration" },
    help: "For a URL: start N requests per second",
  }),
  rateScale: LOAD_CHANGES.rateScale,
  ...REPORTS,
  ...FLEET,
};

export type RunGiven = Given<typeof RUN_OPTIONS>;
