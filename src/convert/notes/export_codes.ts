import type { NoteKind } from "./note_kind.ts";

const KINDS = {
  "k6-xpath": {
    level: "warning",
    meaning: "k6 has no XPath: the script omits the extractor or the condition",
    action: "use a `css` extractor or condition in the plan",
  },
  "k6-selector": {
    level: "warning",
    meaning: "a CSS selector uses a pseudo-class that k6 may not support",
    action: "write the selector without the pseudo-class, or check what k6 selects",
  },
  "k6-jsonpath": {
    level: "warning",
    meaning:
      "a JSONPath uses a function other than `length`, or a filter with a path that selects several values, which the script cannot express",
    action: "write a simpler JSONPath in the plan, or edit the script",
  },
  "k6-row": {
    level: "warning",
    meaning: "the script ignores the option `row` of an extractor and searches the whole response",
    action: "write an expression that selects the row, or edit the script",
  },
  "k6-websocket": {
    level: "info",
    meaning:
      "k6 records a WebSocket in `ws_` metrics, not as a request, and messages have no `http_` metrics",
    action: "no action needed unless a threshold selects the name of the WebSocket",
  },
  "k6-sse": {
    level: "warning",
    meaning: "k6 reads the whole response, not individual events: `sse.until` has no effect",
    action: "set a short `timeout`, or run the plan with `rehearse run`",
  },
  "k6-revalidate": {
    level: "warning",
    meaning: "the script omits `revalidate`: k6 would have to keep the validators of each URL",
    action: "run the plan with `rehearse run`",
  },
  "k6-group": {
    level: "info",
    meaning:
      "k6 cannot group asynchronous code: the steps of a group with `parallel` steps run without a group",
    action: "no action needed unless a threshold selects the group",
  },
  "k6-throttle": {
    level: "warning",
    meaning:
      "k6 limits the request rate of the whole test, not of one scenario: the script omits `throttle`",
    action: "use an arrival-rate executor",
  },
  "k6-pacing": {
    level: "info",
    meaning:
      "in the script, a VU waits for `pacing` at the start of an iteration, so `iteration_duration` includes the wait",
    action: "no action needed unless a threshold uses `iteration_duration`",
  },
  "k6-after": {
    level: "warning",
    meaning:
      "k6 starts scenarios at fixed times: the script replaces `after` with a `startTime` based on planned durations",
    action: "check the `startTime`, especially after scenarios with a fixed number of iterations",
  },
  "k6-arrivals": {
    level: "warning",
    meaning: "k6 starts iterations at equal intervals: recorded or random starts become even",
    action: "run the plan with `rehearse run` if bursts matter",
  },
  "k6-step": {
    level: "warning",
    meaning:
      "the script contains a `during`, `metric` or `visits` step only as a comment with its YAML",
    action: "add the code to the script, or run the plan with `rehearse run`",
  },
  "k6-round-robin": {
    level: "info",
    meaning: "in the script, `round_robin` chooses based on the iteration number in the scenario",
    action: "no action needed unless the step runs several times in an iteration",
  },
  "k6-vu-number": {
    level: "info",
    meaning:
      "in the script, `${vu}` is the number of the VU in the whole test, not in its scenario",
    action: "no action needed unless a data source depends on the number",
  },
  "k6-data-order": {
    level: "info",
    meaning:
      "the script chooses rows based on the iteration number, separately for each scenario, and `shuffle` " +
      "shuffles them once",
    action: "no action needed unless two scenarios must not share rows",
  },
  "k6-encoding": {
    level: "warning",
    meaning: "k6 reads data files as UTF-8, but the plan states another encoding",
    action: "convert the file to UTF-8",
  },
  "k6-data-end": {
    level: "warning",
    meaning:
      "k6 cannot end a scenario: with `on_eof: stop`, iterations after the last row do nothing",
    action: "limit the number of iterations to the number of rows",
  },
  "k6-numbers": {
    level: "info",
    meaning:
      "k6 stores numbers as doubles: an integer beyond 2^53 or a number such as 1.10 keeps its digits only as text",
    action: "no action needed unless responses contain such numbers and a JSON body sends them",
  },
  "k6-size": {
    level: "info",
    meaning:
      "the script takes the size of a body from Content-Length, or measures the decompressed body",
    action: "no action needed unless the server sends compressed responses without Content-Length",
  },
  "k6-digest": {
    level: "info",
    meaning: "k6 handles Digest authentication itself, and requests a new nonce for each request",
    action: "expect twice as many requests",
  },
  "k6-network": {
    level: "warning",
    meaning:
      "a network setting has no equivalent in a script; the message explains what k6 does or what to set",
    action: "follow the message",
  },
  "k6-redirect-method": {
    level: "info",
    meaning: "after PUT, PATCH or DELETE, k6 sends a GET request to follow a 301 or 302 redirect",
    action: "no action needed unless the server sends such a redirect",
  },
  "k6-path": {
    level: "info",
    meaning:
      "k6 percent-encodes `^`, backslashes, braces, vertical bars and each `%` without two hexadecimal digits in a path; the plan sends them verbatim",
    action: "no action needed unless the server distinguishes raw from percent-encoded characters",
  },
  "k6-url": {
    level: "warning",
    meaning: "k6 cannot send the URL `*`: the script requests `/*`",
    action: "remove the request, or run the plan with `rehearse run`",
  },
  "k6-threshold": {
    level: "warning",
    meaning:
      "the script omits a threshold, because k6 has no such metric or cannot select such a tag value",
    action: "choose another metric, or rename the tag value",
  },
  "k6-no-samples": {
    level: "info",
    meaning:
      "k6 passes thresholds without samples; `rehearse` fails them unless they are `optional`",
    action: "add a threshold such as `http_reqs: ['count>0']`",
  },
  "k6-failed-requests": {
    level: "info",
    meaning:
      "k6's `http_req_failed` does not include failed extractions and assertions, so the script tests " +
      "the metric `request_failed` instead",
    action: "no action needed",
  },
  "k6-assertions": {
    level: "info",
    meaning: "the script turns assertions that do not test the status into checks",
    action: "no action needed unless a threshold uses `checks` without a name",
  },
  "k6-abort-scenario": {
    level: "warning",
    meaning: "k6 cannot end one scenario: `abort_scenario` ends the test",
    action: "use `abort_iteration`, or accept that all scenarios end",
  },
  "k6-setup-metrics": {
    level: "info",
    meaning: "k6 includes the requests of `setup` and `teardown` in its metrics",
    action: "add a tag such as `scenario` to the thresholds",
  },
  "k6-metric": {
    level: "warning",
    meaning: "the script does not record the value of an extractor as a metric of the plan",
    action: "add the metric to the script, or run the plan with `rehearse run`",
  },
  "k6-output": {
    level: "info",
    meaning: "the script does not contain the outputs of the plan",
    action: "pass the outputs to k6 with `--out`",
  },
  "k6-expression": {
    level: "warning",
    meaning: "an expression uses a date format that the script cannot express",
    action: "edit the script",
  },
} satisfies Record<string, NoteKind>;

/** Code of a note that `export k6` prints. */
export type ExportNoteCode = keyof typeof KINDS;

/** The kinds of notes that `export k6` prints, keyed by code, in the order of docs/warnings.md. */
export const EXPORT_NOTE_KINDS: Readonly<Record<ExportNoteCode, NoteKind>> = KINDS;
