import { InputError, UsageError } from "../../base/errors.ts";
import { formatThousands, plural } from "../../base/format.ts";
import { isPublicHost } from "../../base/host_header.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import { type Address, hostAddress, proxyTo } from "../../http/dial.ts";
import { type NetworkOptions, readProxies } from "../../http/network_options.ts";
import { toOrigin } from "../../http/url.ts";
import { isRecorded } from "../../plan/kinds/list_requests.ts";
import { type Shard, WHOLE } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { type Targets, targets } from "../../plan/targets.ts";
import { siteOf } from "../../traffic/har/origins.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import type { RunGiven } from "./run_options.ts";
import { type RequestRange, requestRange } from "../../plan/predicted_load.ts";
import { expectedIterations } from "../../engine/progress.ts";

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

/**
 * Headings for lists of hosts: those of the base URL's site, those known only during the run, and
 * third-party hosts.
 */
const HEADINGS = {
  same: "Hosts of the site under test:",
  unknown: "Hosts that are known only during the run:",
  other: "Third-party hosts, which may not be yours:",
};

/** A public host to which a plan sends recorded requests. */
interface RecordedHost {
  /** Origin of the host, and the expected number of requests. */
  readonly text: string;
  readonly site: keyof typeof HEADINGS;
}

/**
 * Asks whether to send recorded requests to public hosts that the command line does not name. Lists
 * each host with its expected number of requests, third-party hosts last (those that do not belong
 * to the base URL's site). Counts only the requests of `shard`, if given. Throws UsageError if the
 * user does not agree. Does not ask if `--yes` is given. If nobody can respond, does not ask
 * either, but returns a warning that lists any third-party hosts. Otherwise, returns an empty
 * string.
 */
export function confirmRecorded(
  plan: Plan,
  targets: Pick<Targets, "origins" | "originOf">,
  shard: Shard | undefined,
  { yes, once, baseUrl }: Pick<RunGiven, "yes" | "once" | "baseUrl">,
  io: Io,
): string {
  if (yes || !isRecorded(plan)) return "";
  const given = URL.parse(baseUrl ?? "")?.origin;
  const origins = publicOrigins(plan, targets.origins)
    .filter((origin) => URL.parse(origin)?.origin !== given);
  if (origins.length === 0) return "";
  const knownSite = (origin: string) => {
    const site = URL.canParse(origin) ? siteOf(origin) : "";
    // Expressions are evaluated only during the run.
    return site === "" || /[${}]/.test(site) ? undefined : site;
  };
  const base = targets.originOf("/");
  const tested = base === undefined ? undefined : knownSite(base);
  const known = new Map<string, string | undefined>();
  const originOf = (url: string) => {
    if (!known.has(url)) known.set(url, targets.originOf(url));
    return known.get(url);
  };
  const hosts = origins.map((origin): RecordedHost => {
    const isCounted = (url: string) => originOf(url) === origin;
    const requests = describeRequests(plan, isCounted, once !== undefined, shard);
    const site = knownSite(origin);
    const relation = site === tested ? "same" : site === undefined ? "unknown" : "other";
    return {
      text: `${safeText(origin)} (${requests})`,
      // Without a known site to compare with, no host belongs to another site.
      site: tested === undefined ? "same" : relation,
    };
  });
  const foreign = hosts.filter(({ site }) => site === "other").map(({ text }) => text);
  if (!io.isInteractive?.()) {
    if (foreign.length === 0) return "";
    return `warning: this plan sends recorded requests to third-party hosts (the base URL is ${
      safeText(base!)
    }): ${foreign.join(", ")}; ${LEAVE_OUT}, or add \`--yes\` if you are allowed to test them\n`;
  }
  if (io.confirm?.(question(hosts))) return "";
  throw new UsageError(
    `nothing was sent to ${safeText(origins.join(", "))}; use \`--base-url\` to select a test ` +
      `system, or \`--yes\` to send this load${foreign.length > 0 ? `; ${LEAVE_OUT}` : ""}`,
  );
}

const LEAVE_OUT = "to omit third-party hosts, convert with `--origin HOST,…`";

/**
 * Returns a question that asks whether to send load to `hosts`. Groups the hosts by site unless all
 * belong to the site under test.
 */
function question(hosts: readonly RecordedHost[]): string {
  const start = "The requests in this plan come from a recording.";
  if (hosts.every(({ site }) => site === "same")) {
    return `${start} Send this load to ${hosts.map(({ text }) => text).join(", ")}?`;
  }
  const bySite = Map.groupBy(hosts, ({ site }) => site);
  const groups = Object.entries(HEADINGS).flatMap(([site, heading]) => {
    const found = bySite.get(site as RecordedHost["site"]) ?? [];
    return found.length === 0 ? [] : [heading, ...found.map(({ text }) => `  ${text}`)];
  });
  return [start, ...groups, "Send this load to all of these hosts?"].join("\n");
}

/**
 * Returns those origins whose host is public. Omits hosts that the plan maps to another address.
 */
function publicOrigins(plan: Plan, origins: readonly string[]): string[] {
  const hosts = plan.defaults?.http?.hosts ?? {};
  return origins.filter((origin) => {
    const url = URL.parse(origin);
    return url !== null && isPublicHost(url.hostname) && !Object.hasOwn(hosts, url.hostname) &&
      !Object.hasOwn(hosts, url.host);
  });
}

/**
 * Describes how many requests a run sends to the URLs (templates) for which `counts` returns true,
 * such as `1,200 requests`. Describes the minimum if the number depends on responses. For scenarios
 * whose number of iterations depends on response times, describes the number per iteration. If
 * `once` is true, each scenario runs one iteration. Otherwise, `shard` is the part of the plan that
 * runs.
 */
export function describeRequests(
  { scenarios, setup = [], teardown = [] }: Plan,
  counts: (url: string) => boolean,
  once: boolean,
  shard: Shard = WHOLE,
): string {
  const flows = [
    ...Object.values(scenarios).map((scenario) => ({
      range: requestRange(scenario.flow, counts),
      times: once ? 1 : expectedIterations(scenario, shard),
    })),
    ...[setup, teardown].map((flow) => ({ range: requestRange(flow, counts), times: 1 })),
  ].filter(({ range, times }) => range.max > 0 && times > 0);
  const [counted, open] = [
    flows.filter(({ times }) => times < Infinity),
    flows.filter(({ times }) => times === Infinity),
  ];
  const isExact = counted.every(({ range }) => range.mean !== undefined);
  const sum = counted.reduce((sum, { range, times }) => sum + times * (range.mean ?? range.min), 0);
  return [
    ...(counted.length > 0 || open.length === 0
      ? [`${isExact ? "" : "at least "}${plural(Math.round(sum), "request")}`]
      : []),
    ...(open.length > 0 ? [describeEach(open.map(({ range }) => range))] : []),
  ].join(", plus ");
}

/** Describes how many requests each scenario sends per iteration, such as `1 to 3 requests …`. */
function describeEach(ranges: readonly RequestRange[]): string {
  const least = Math.ceil(Math.min(...ranges.map(({ mean, min }) => mean ?? min)));
  const most = Math.ceil(Math.max(...ranges.map(({ mean, max }) => mean ?? max)));
  const text = least === most
    ? plural(least, "request")
    : most === Infinity
    ? `at least ${plural(least, "request")}`
    : `${formatThousands(least)} to ${plural(most, "request")}`;
  return `${text} per iteration`;
}
