/** Hints for keys that other tools or other versions of this language use, by key. */
const HINTS: Readonly<Record<string, string>> = {
  config: "Artillery's `config` is `defaults.http.base_url` and a scenario's executor here",
  phases: "Artillery's phases are the `stages` of an executor such as ramping-arrival-rate",
  before: "put the steps first in each scenario's `flow`",
  options: "k6's options are `scenarios` and `thresholds` at the top of the plan",
  vars: "plan variables are declared under `variables`",
  assertions: "write `assert` to fail the request, or `checks` to record only",
  expect: "write `assert` to fail the request, or `checks` to record only",
  capture: "write `extract`",
  think: "write `think_time`",
  sleep: "write `think_time`",
  loop: "write `repeat`, `while` or `foreach`",
  sequence: "write the steps directly, or put them in a `group`",
};

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"];

/** Returns a hint for a key that is no key here but has a meaning in another tool; "" without one. */
export function hintForOtherTools(key: string, isStep: boolean): string {
  if (isStep && METHODS.includes(key)) {
    return `write \`request: {method: ${key.toUpperCase()}, url: …}\``;
  }
  if (isStep && key === "url") return "put it under `request`";
  return Object.hasOwn(HINTS, key) ? HINTS[key] : "";
}
