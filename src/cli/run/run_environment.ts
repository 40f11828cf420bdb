import type { Redactor } from "../../base/redactor.ts";
import { VERSION } from "../../base/release.ts";
import type { RunEnvironment } from "../../engine/summary/summary.ts";
import { workerCount } from "../../engine/workers/run_on_cores.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { targets } from "../../plan/targets.ts";
import type { Args } from "../command/command.ts";
import { isTargetUrl } from "./plan_to_run.ts";

/**
 * Options that reports show because they change the load. `--base-url` is omitted, because reports
 * show the targets anyway.
 */
const LOAD_OPTIONS = [
  "env",
  "scenario",
  "vus",
  "iterations",
  "duration",
  "rate",
  "rate-scale",
  "seed",
  "workers",
  "shard",
  "shards",
  "tolerate-lost",
];

/**
 * Describes how a run of `plan` was started, for use in reports. The description contains neither
 * secrets nor user names.
 */
export function runEnvironment(
  plan: Plan,
  path: string,
  args: Args,
  readEnv: (name: string) => string | undefined,
  redact: Redactor,
): RunEnvironment {
  const cores = navigator.hardwareConcurrency;
  const once = args.has("once");
  return {
    version: VERSION,
    // The URL of a target may contain credentials, which the name of its plan does not contain.
    plan: redact(isTargetUrl(path) ? plan.name! : path),
    targets: targets(plan, readEnv).origins.map((origin) => redact(origin)),
    options: [
      ...(once ? [args.text("once") === "all" ? "--once all" : "--once"] : []),
      ...LOAD_OPTIONS.flatMap((name) => args.all(name).map((value) => `--${name} ${value}`)),
      ...args.all("var").map((given) => `--var ${given.replace(/=.*$/s, "")}`),
    ],
    cores,
    workers: once ? 1 : Number(args.text("workers") ?? 0) || workerCount(plan, cores),
  };
}

const PREFIX = "unix:";

/** Reports whether a plan connects to Unix sockets. Such connections require write permission. */
export function usesUnixSockets({ defaults }: Plan): boolean {
  return Object.values(defaults?.http?.hosts ?? {}).some((address) => address.startsWith(PREFIX));
}

/**
 * Returns the plan with an absolute path for each Unix socket in `hosts`. `resolve` converts a path
 * in the plan to an absolute path.
 */
export function locateUnixSockets(plan: Plan, resolve: (path: string) => string): Plan {
  if (!usesUnixSockets(plan)) return plan;
  const { hosts = {}, ...http } = plan.defaults?.http ?? {};
  const located = Object.entries(hosts).map(([name, address]) => [
    name,
    address.startsWith(PREFIX) ? PREFIX + resolve(address.slice(PREFIX.length)) : address,
  ]);
  return {
    ...plan,
    defaults: { ...plan.defaults, http: { ...http, hosts: Object.fromEntries(located) } },
  };
}
