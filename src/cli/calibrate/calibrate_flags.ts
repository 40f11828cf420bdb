import type { Flag } from "../command/command.ts";

/** Options of `rehearse calibrate`. */
export const CALIBRATE_FLAGS: readonly Flag[] = [
  {
    name: "har",
    file: "read",
    help: "Compare with this recording, from which the plan was made",
  },
  {
    name: "base-url",
    value: "URL",
    help: "Calibrate against the application at URL: http://HOST[:PORT]",
  },
  {
    name: "output",
    short: "o",
    file: "write",
    help:
      "Write the repaired plan to FILE, which may be the plan itself (default: standard output)",
  },
  {
    name: "html",
    file: "write",
    help:
      "Also write an HTML page to FILE: calls, values with their sources and consumers, and differences",
  },
  { name: "env", short: "e", value: "NAME", help: "Apply the plan's overlay NAME" },
  {
    name: "allow-state",
    help:
      "Also exit with 0 if a later iteration differs only because the application's state changed",
  },
  {
    name: "patience",
    value: "DURATION",
    help: "Wait at most this long in all, for rate limits and recorded pauses (default: 1m)",
  },
  {
    name: "keep-constants",
    help: "Keep variables whose value was the same in the recording and in all responses",
  },
  { name: "yes", help: "Send requests to a host other than this machine without asking" },
  {
    name: "explain",
    help: "Print which values were compared, and why each was or was not extracted",
  },
  {
    name: "format",
    value: "FORMAT",
    choices: ["text", "json"],
    default: "text",
    help: "Format of the report; json prints one object",
  },
];
