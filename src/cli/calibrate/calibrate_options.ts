import {
  choice,
  duration,
  fileToRead,
  fileToWrite,
  httpUrl,
  text,
  toggle,
} from "../command/options.ts";

/** Options of `rehearse calibrate`. */
export const CALIBRATE_OPTIONS = {
  har: fileToRead({ help: "Compare with this recording, from which the plan was made" }),
  baseUrl: httpUrl({ help: "Calibrate against the application at URL: http://HOST[:PORT]" }),
  output: fileToWrite({
    short: "o",
    help:
      "Write the repaired plan to FILE, which may be the plan itself (default: standard output)",
  }),
  html: fileToWrite({
    help:
      "Also write an HTML page to FILE: calls, values with their sources and consumers, and differences",
  }),
  env: text({ short: "e", value: "NAME", help: "Apply the plan's overlay NAME" }),
  allowState: toggle({
    help:
      "Also exit with 0 if a later iteration differs only because the application's state changed",
  }),
  patience: duration({
    help: "Wait at most this long in all, for rate limits and recorded pauses (default: 1m)",
  }, 0),
  keepConstants: toggle({
    help: "Keep variables whose value was the same in the recording and in all responses",
  }),
  yes: toggle({ help: "Send requests to a host other than this machine without asking" }),
  explain: toggle({
    help: "Print which values were compared, and why each was or was not extracted",
  }),
  format: choice(["text", "json"], {
    default: "text",
    help: "Format of the report; json prints one object",
  }),
};
