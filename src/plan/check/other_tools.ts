/** Hints for keys of other tools, by key. */
const HINTS: Readonly<Record<string, string>> = {
  config: "instead of Artillery's `config`, use `defaults.http.base_url` and an executor",
  phases: "instead of Artillery's `phases`, use the `stages` of `ramping-arrival-rate`",
  before: "put the steps at the start of the `flow` of each scenario",
  options: "instead of k6's `options`, use `scenarios` and `thresholds` at the top of the plan",
  vars: "declare plan variables under `variables`",
  assertions: "use `assert` to fail the request, or `checks` to record the result only",
  expect: "use `assert` to fail the request, or `checks` to record the result only",
  capture: "use `extract`",
  think: "use `think_time`",
  sleep: "use `think_time`",
  loop: "use `repeat`, `while` or `foreach`",
  sequence: "list the steps directly, or put them in a `group`",
};

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"];

/**
 * Returns a hint for an unknown key that another tool uses, or an empty string. `isStep` is true for the
 * keys of a step.
 */
export function hintForOtherTools(key: string, isStep: boolean): string {
  if (isStep && METHODS.includes(key)) {
    return `write \`request: {method: ${key.toUpperCase()}, url: …}\``;
  }
  if (isStep && key === "url") return "put it under `request`";
  return Object.hasOwn(HINTS, key) ? HINTS[key] : "";
}
