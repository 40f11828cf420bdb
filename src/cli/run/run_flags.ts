import type { Flag } from "../command.ts";

const LOAD = "Load";
const REPORT = "Report";
const SHARES = "Several cores and machines";

/** The options of `rehearse run`. */
export const RUN_FLAGS: readonly Flag[] = [
  { name: "base-url", value: "URL", help: "Where relative URLs go: http://HOST[:PORT][/PATH]" },
  { name: "env", short: "e", value: "NAME", help: "Merge the plan's overlay of that name over it" },
  {
    name: "scenario",
    value: "NAME",
    repeats: true,
    help: "Play this scenario only",
  },
  { name: "var", value: "NAME=VALUE", repeats: true, help: "Give a variable of the plan a value" },
  { name: "once", help: "Play each scenario's flow once and show every request and response" },
  { name: "bodies", help: "With --once, show bodies too" },
  { name: "seed", value: "N", help: "Draw the same random numbers as the run with that seed" },
  {
    name: "vus",
    value: "N",
    group: LOAD,
    help: "VUs of each scenario; the most of one that ramps",
  },
  {
    name: "iterations",
    value: "N",
    group: LOAD,
    help: "Iterations: of each VU, or in all, as the scenario counts them",
  },
  {
    name: "duration",
    value: "TIME",
    group: LOAD,
    help: "How long each scenario goes on (30s, 5m); stages keep their proportions",
  },
  {
    name: "rate-scale",
    value: "X",
    group: LOAD,
    help: "Multiply arrival rates (0.1 is a tenth), and above 1 the VUs for them",
  },
  {
    name: "summary-export",
    value: "FILE",
    group: REPORT,
    help: "Write the summary as JSON; `rehearse merge` adds several up",
  },
  {
    name: "html",
    value: "FILE",
    group: REPORT,
    help: "Write a report with charts: one HTML file that needs no network",
  },
  {
    name: "junit",
    value: "FILE",
    group: REPORT,
    help: "Write thresholds and checks as the test cases of a JUnit file",
  },
  {
    name: "allow-output",
    value: "PATH",
    repeats: true,
    group: REPORT,
    help: "Let the plan's outputs write this file or folder, outside the plan's folder",
  },
  {
    name: "format",
    value: "FORMAT",
    choices: ["text", "github"],
    group: REPORT,
    help: "With github, end the summary with annotations of a GitHub job",
  },
  {
    name: "ui",
    value: "ADDR",
    optional: true,
    group: REPORT,
    help: "Show the run in browsers while it goes on, at ADDR: PORT or HOST:PORT " +
      "(default 127.0.0.1:6070); 0 takes a free port",
  },
  { name: "quiet", group: REPORT, help: "Say nothing while it runs, only the summary at the end" },
  { name: "no-color", group: REPORT, help: "No colours on a terminal" },
  {
    name: "workers",
    value: "N",
    group: SHARES,
    help: "Threads that make the load, at most 4 per core (default: by the plan's rate and VUs)",
  },
  {
    name: "shard",
    value: "I/N",
    group: SHARES,
    help: "Play only the I-th of N equal shares; other machines play the others",
  },
];
