import type { Flag } from "../command.ts";

const LOGS = "Access logs";
const HARS = "Browser recordings (HAR)";

/** Every option of `convert`. Those under a kind's heading are refused with the other kind. */
export const CONVERT_FLAGS: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    value: "FILE",
    help: "Write the plan there, whole or not at all, instead of to standard output",
  },
  {
    name: "from",
    value: "KIND",
    choices: ["accesslog", "har"],
    help: "What the input is, where neither its name nor its content tells",
  },
  {
    name: "warnings",
    value: "FORMAT",
    choices: ["text", "json"],
    help: "How warnings are written to standard error; json is one object a line",
  },
  {
    name: "strict",
    help: "Exit with 2 when there was a warning; the plan is written all the same",
  },
  {
    name: "base-url",
    value: "URL",
    group: LOGS,
    help: "Where the plan's requests go, such as https://staging.example.com",
  },
  {
    name: "top",
    value: "N",
    group: LOGS,
    help: "Keep the N most frequent endpoints (20), or all of them with `all`",
  },
  {
    name: "profile",
    value: "FILE",
    group: LOGS,
    help: "Also write the traffic profile: the log as counts, which convert reads and adds up",
  },
  {
    name: "origin",
    value: "HOST,...",
    repeats: true,
    group: HARS,
    help: "Keep only the calls to these hosts",
  },
  {
    name: "correlate",
    value: "WHAT,...",
    repeats: true,
    group: HARS,
    help: "Correlate more than JSON bodies: html, header, cookie, encoded, or all",
  },
  {
    name: "explain",
    group: HARS,
    help: "Tell of every dynamic-looking value where it came from, where it went, and why",
  },
  {
    name: "secrets",
    group: HARS,
    help: "Move recorded credentials out of the plan, to environment variables",
  },
  {
    name: "think-time",
    value: "WHICH",
    choices: ["recorded"],
    group: HARS,
    help: "Pause between calls as recorded",
  },
  {
    name: "max-think",
    value: "DURATION",
    group: HARS,
    help: "The longest recorded pause that is kept (30s)",
  },
  {
    name: "checks",
    value: "WHICH",
    choices: ["status"],
    group: HARS,
    help: "Check that each answer has the recorded status",
  },
  {
    name: "group",
    value: "BY",
    choices: ["page"],
    group: HARS,
    help: "Group the calls of each recorded page",
  },
];

/** The options that only one kind of input has. */
export function flagsOf(kind: "accesslog" | "har"): readonly Flag[] {
  return CONVERT_FLAGS.filter(({ group }) => group === (kind === "har" ? HARS : LOGS));
}
