import { InputError, UsageError } from "../../base/errors.ts";
import { formatThousands, plural } from "../../base/format.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import { type Address, hostAddress, proxyTo } from "../../http/dial.ts";
import type { NetworkOptions } from "../../http/network_options.ts";
import { readProxies } from "../../http/proxies.ts";
import { toOrigin } from "../../http/url.ts";
import { withEveryChoice } from "../../plan/every_choice.ts";
import { maxVus, plannedIterations } from "../../plan/kinds/executors.ts";
import { firstRequestNumbers } from "../../plan/kinds/list_requests.ts";
import { oneIteration, override } from "../../plan/override.ts";
import type { Redactor } from "../../base/redactor.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { type Targets, targets } from "../../plan/targets.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import type { Given } from "../command/options.ts";
import { readPlan } from "../input/read_plan.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import type { LOAD_CHANGES, PLAN_CHANGES, RunGiven } from "./run_options.ts";
import { quickPlan } from "./quick_plan.ts";

/** Options of `run` that determine what the plan sends. `inspect` has some of them. */
export type PlanOptions =
  & Given<typeof PLAN_CHANGES & typeof LOAD_CHANGES>
  & Partial<Pick<RunGiven, "once" | "rate">>;

/** A plan to run, with the options of the command line applied. */
export interface PlanToRun {
  readonly plan: Plan;
  /**
   * Number of the first request of each scenario, by the scenario's name. It does not depend on the
   * scenarios that `--scenario` selects.
   */
  readonly firstNumbers: ReadonlyMap<string, number>;
}

/**
 * Reads the plan at `path`, or creates one if `path` is the URL of a target. Applies the overlay
 * and the options that the command line specifies. Prints diagnostics to standard error. Returns
 * undefined if the plan is invalid. Throws InputError if the file cannot be read, and UsageError if
 * an option is invalid.
 */
export async function planToRun(
  path: string,
  given: PlanOptions,
  io: Io,
): Promise<PlanToRun | undefined> {
  const { baseUrl, vus, iterations, duration, rateScale, once } = given;
  const plan = await planAt(path, given, io);
  if (plan === undefined) return undefined;
  const firstNumbers = firstRequestNumbers(plan);
  const changed = override(plan, {
    baseUrl,
    scenarios: given.scenario,
    variables: new Map(given.var),
    vus,
    iterations,
    duration,
    rateScale,
  });
  if (rateScale !== undefined && vus === undefined) noteScaledVus(plan, changed, io);
  if (once === undefined) {
    if (duration !== undefined && iterations === undefined) noteLimits(changed, duration, io);
    return { plan: changed, firstNumbers };
  }
  // The reports of the run list the thresholds as not evaluated.
  const { thresholds } = changed;
  const tried = oneIteration(once === "all" ? withEveryChoice(changed) : changed);
  return { plan: { ...tried, thresholds }, firstNumbers };
}

async function planAt(path: string, given: PlanOptions, io: Io): Promise<Plan | undefined> {
  if (isTargetUrl(path)) return quickPlan(path, given);
  if (given.rate !== undefined) {
    throw new UsageError("--rate works only with a URL; for a plan, use --rate-scale");
  }
  try {
    return await readPlan(path, given.env, io);
  } catch (error) {
    throw error instanceof InputError && isMissing(error.cause) && explainUrl(path) || error;
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.NotADirectory;
}

/**
 * Returns an error if `path`, which does not name a file, looks like a URL: for example, if it is
 * `host:port`, has too few slashes, or has a scheme that `run` does not support. Otherwise, returns
 * undefined.
 */
function explainUrl(path: string): UsageError | undefined {
  const shown = safeSnippet(hidePasswords(path));
  const rest = /^https?:\/?(.+)$/is.exec(path)?.[1] ?? path;
  if (/^(?:\[[\da-f:.]+\]|[\w.-]+):\d{1,5}(?:[/?#]|$)/i.test(rest) || rest !== path) {
    const scheme = /^https:/i.test(path) ? "https" : "http";
    const url = safeSnippet(hidePasswords(`${scheme}://${rest}`));
    return new UsageError(`there is no file ${shown}; did you mean the URL ${url}?`);
  }
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(path)) return undefined;
  return new UsageError(`cannot send load to ${shown}: only http:// and https:// URLs are allowed`);
}

/** Reports whether the argument of `run` is the URL of a target and not the path of a plan. */
export function isTargetUrl(argument: string): boolean {
  return /^https?:\/\//i.test(argument);
}

/**
 * If `--rate-scale` increases the number of VUs of a scenario to at least this number, a note
 * reports the increase.
 */
const MANY_VUS = 1_000;

/**
 * Prints a note for each scenario whose number of VUs `--rate-scale` has increased to at least
 * 1,000.
 */
function noteScaledVus(plan: Plan, changed: Plan, io: Io): void {
  for (const [name, scenario] of Object.entries(changed.scenarios)) {
    const [before, now] = [maxVus(plan.scenarios[name]), maxVus(scenario)];
    if (now < MANY_VUS || now <= before) continue;
    io.stderr.write(
      `--rate-scale also multiplies the VUs of ${safeText(name)}: up to ${formatThousands(now)} ` +
        `instead of ${formatThousands(before)}; to limit them, add \`--vus N\`\n`,
    );
  }
}

/**
 * Prints a note for each scenario that runs a fixed number of iterations. `--duration` (`duration`)
 * only limits the time of such a scenario.
 */
function noteLimits({ scenarios }: Plan, duration: string, io: Io): void {
  for (const [name, scenario] of Object.entries(scenarios)) {
    const iterations = plannedIterations(scenario);
    if (iterations === Infinity) continue;
    io.stderr.write(
      `--duration only limits ${safeText(name)}, which ends after ${
        plural(iterations, "iteration")
      }; to repeat its flow for ${duration}, change its executor to \`constant-vus\`\n`,
    );
  }
}

/**
 * Requests permission to connect to the targets of the plan, and returns them.
 * Throws InputError if a request has no host, and `Deno.errors.NotCapable` if permission is denied.
 */
export async function preflight(
  plan: Plan,
  source: string,
  readEnv: (name: string) => string | undefined,
  redact: Redactor = (text) => text,
): Promise<PlanTargets> {
  const targets = describeTargets(plan, source, readEnv);
  const network = networkOf(plan, readGrantedEnv);
  for (const origin of targets.origins) await mayConnect(origin, network, redact);
  return targets;
}

/** Origins to which a plan sends requests, and a line that lists them. */
export interface PlanTargets extends Pick<Targets, "origins" | "originOf"> {
  readonly text: string;
}

/**
 * Returns the targets of the plan, and a line that lists them. Throws InputError if a request has
 * no host.
 */
export function describeTargets(
  plan: Plan,
  source: string,
  readEnv: (name: string) => string | undefined,
): PlanTargets {
  const { origins, firstWithoutBase, originOf } = targets(plan, readEnv);
  if (firstWithoutBase !== undefined) {
    throw new InputError(
      `cannot run: the URL of ${
        JSON.stringify(firstWithoutBase)
      } is relative, but the plan has no base ` +
        "URL; add `--base-url http://HOST`, or set `defaults.http.base_url` in the plan",
      { source },
    );
  }
  const hosts = plan.defaults?.http?.hosts ?? {};
  const moved = Object.entries(hosts).map(([name, address]) => `${name} at ${address}`);
  const network = networkOf(plan, readGrantedEnv);
  const proxies = origins.flatMap((origin) => {
    const url = URL.parse(origin);
    const parsed = url ? toOrigin(url) : undefined;
    const proxy = parsed && proxyTo(parsed, network);
    return proxy ? [`through the proxy ${proxy.hostname}:${proxy.port}`] : [];
  });
  const notes = [...moved, ...new Set(proxies)];
  const note = notes.length > 0 ? ` (${notes.join(", ")})` : "";
  return { origins, originOf, text: safeText(`Sending load to ${origins.join(", ")}${note}`) };
}

/**
 * Requests permission to connect to one origin, so that a missing permission is reported before the
 * run starts. Throws `Deno.errors.NotCapable` if permission is denied.
 */
async function mayConnect(
  origin: string,
  network: Pick<NetworkOptions, "hosts" | "proxies">,
  redact: Redactor,
): Promise<void> {
  const url = URL.parse(origin);
  if (url === null || origin.includes("${")) return; // Known only during the run.
  const parsed = toOrigin(url);
  if (parsed === undefined) return;
  const address: Address = proxyTo(parsed, network) ?? hostAddress(parsed, network.hosts);
  const { path, hostname, port } = address;
  if (path !== undefined) {
    // Connecting to a Unix socket also requires permission to read and write its file.
    await mayUse({ name: "net", host: `unix:${path}` }, `--allow-net=unix:${path}`);
    await mayUse({ name: "read", path }, `--allow-read=${path}`);
    await mayUse({ name: "write", path }, `--allow-write=${path}`);
    return;
  }
  const host = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const { state } = await Deno.permissions.request({ name: "net", host });
  if (state === "granted") return;
  throw new Deno.errors.NotCapable(
    `Requires net access to "${redact(host)}", run again with the --allow-net flag`,
  );
}

async function mayUse(permission: Deno.PermissionDescriptor, flag: string): Promise<void> {
  const { state } = await Deno.permissions.request(permission);
  if (state === "granted") return;
  throw new Deno.errors.NotCapable(`a Unix socket needs ${flag}`);
}

function networkOf(
  { defaults }: Plan,
  readEnv: (name: string) => string | undefined,
): Pick<NetworkOptions, "hosts" | "proxies"> {
  const { hosts = {}, proxy } = defaults?.http ?? {};
  return { hosts, proxies: readProxies(proxy, readEnv) };
}
