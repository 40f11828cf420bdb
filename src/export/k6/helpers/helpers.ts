import type { Helper } from "./helper.ts";
import { REQUEST_HELPERS } from "./request_helpers.ts";
import { RESPONSE_HELPERS } from "./response_helpers.ts";
import { SOCKET_HELPERS } from "./socket_helpers.ts";
import { VALUE_HELPERS } from "./value_helpers.ts";

const ALL = { ...REQUEST_HELPERS, ...RESPONSE_HELPERS, ...SOCKET_HELPERS, ...VALUE_HELPERS };

/** Name of a function that a script can define. */
export type HelperName = keyof typeof ALL;

/** All functions that a script can define, in the order in which it defines them. */
export const HELPERS: Readonly<Record<HelperName, Helper>> = ALL;

/** Names that the variables of a plan cannot have in a script. */
export const TAKEN_NAMES: readonly string[] = [
  ...Object.keys(ALL),
  ...[
    "select",
    "within",
    "http",
    "check",
    "fail",
    "group",
    "sleep",
    "exec",
    "SharedArray",
    "parseHTML",
  ],
  ...["Counter", "Gauge", "Rate", "Trend", "b64decode", "b64encode", "sha256", "hmac", "res", "r"],
  ...["BASE_URL", "HEADERS", "BOUNDARY", "params", "options", "setup", "teardown", "vars"],
  ...["secrets", "setupData", "requestFailed", "nextStarts", "pauseDue", "jar", "i", "round"],
  ...["end", "item", "value", "element", "row"],
];
