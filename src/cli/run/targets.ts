import { InputError, PermissionError, UsageError } from "../../base/errors.ts";
import { isPublicHost } from "../../base/host_header.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import { type Address, hostAddress, proxyTo } from "../../http/dial.ts";
import { type NetworkOptions, networkOptions, readProxies } from "../../http/network_options.ts";
import { toOrigin } from "../../http/url.ts";
import { isRecorded } from "../../plan/kinds/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { type Targets, targets } from "../../plan/targets.ts";
import { siteOf } from "../../traffic/har/origins.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import type { RunGiven } from "./run_options.ts";

/**
 * Requests permission to connect to the targets of the plan, and returns them. Throws InputError if
 * a request has no host, and PermissionError if permission is denied.
 */
export async function preflight(
  plan: Plan,
  source: string,
  readEnv: (name: string) => string | undefined,
  redact: Redactor = (text) => text,
): Promise<PlanTargets> {
  const targets = describeTargets(plan, source, readEnv);
  const network = networkOf(plan);
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
  const network = networkOf(plan);
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
 * run starts. Throws PermissionError if permission is denied.
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
  throw new PermissionError(`connect to ${redact(host)}`, `--allow-net=${redact(host)}`);
}

async function mayUse(permission: Deno.PermissionDescriptor, flag: string): Promise<void> {
  const { state } = await Deno.permissions.request(permission);
  if (state === "granted") return;
  throw new PermissionError("use a Unix socket", flag);
}

function networkOf({ defaults }: Plan): Pick<NetworkOptions, "hosts" | "proxies"> {
  const { hosts = {}, proxy } = defaults?.http ?? {};
  return { hosts, proxies: readProxies(proxy, readGrantedEnv) };
}

/** Returns the options for connections to the targets of a plan. `readFile` reads its files. */
export function planNetwork(
  { defaults }: Plan,
  readFile: (path: string) => Uint8Array,
): NetworkOptions {
  const readText = (path: string) => new TextDecoder().decode(readFile(path));
  return networkOptions(defaults?.http ?? {}, readText, readGrantedEnv);
}

const PREFIX = "unix:";

/** Reports whether a plan connects to Unix sockets. Such connections require write permission. */
export function usesUnixSockets({ defaults }: Plan): boolean {
  return Object.values(defaults?.http?.hosts ?? {}).some((address) => address.startsWith(PREFIX));
}

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
 * Asks whether to send recorded requests, a load that `load` describes, to public hosts that the
 * command line does not name. Lists third-party hosts last, which do not belong to the site of the
 * base URL. Throws UsageError if the user does not agree. Does not ask if `--yes` is given. If
 * nobody can respond, does not ask either, but returns a warning that lists any third-party hosts.
 * Otherwise, returns an empty string.
 */
export function confirmRecorded(
  plan: Plan,
  { origins, originOf }: Pick<Targets, "origins" | "originOf">,
  load: string,
  { yes, baseUrl }: Pick<RunGiven, "yes" | "baseUrl">,
  io: Io,
): string {
  if (yes || !isRecorded(plan)) return "";
  const given = URL.parse(baseUrl ?? "")?.origin;
  const hosts = publicOrigins(plan, origins)
    .filter((origin) => URL.parse(origin)?.origin !== given);
  if (hosts.length === 0) return "";
  const base = originOf("/") ?? "";
  const tested = knownSite(base);
  // Without a known site to compare with, no host belongs to another site.
  const isForeign = (origin: string) => {
    const site = knownSite(origin);
    return tested !== undefined && site !== undefined && site !== tested;
  };
  const foreign = hosts.filter(isForeign).map(safeText);
  if (!io.isInteractive?.()) {
    if (foreign.length === 0) return "";
    return `warning: this plan sends recorded requests to third-party hosts (the base URL is ${
      safeText(base)
    }): ${foreign.join(", ")}; ${LEAVE_OUT}, or add \`--yes\` if you are allowed to test them\n`;
  }
  const own = hosts.filter((origin) => !isForeign(origin)).map(safeText);
  const lines = [
    "The requests in this plan come from a recording.",
    load,
    ...(own.length > 0 ? [`Hosts: ${own.join(", ")}`] : []),
    ...(foreign.length > 0
      ? [`Third-party hosts, which may not be yours: ${foreign.join(", ")}`]
      : []),
    `Send this load to ${hosts.length === 1 ? "this host" : "all of these hosts"}?`,
  ];
  if (io.confirm?.(lines.join("\n"))) return "";
  throw new UsageError(
    `nothing was sent to ${safeText(hosts.join(", "))}; use \`--base-url\` to select a test ` +
      `system, or \`--yes\` to send this load${foreign.length > 0 ? `; ${LEAVE_OUT}` : ""}`,
  );
}

const LEAVE_OUT = "to omit third-party hosts, convert with `--origin HOST,…`";

function knownSite(origin: string): string | undefined {
  const site = URL.canParse(origin) ? siteOf(origin) : "";
  return site === "" || /[${}]/.test(site) ? undefined : site;
}

function publicOrigins(plan: Plan, origins: readonly string[]): string[] {
  const hosts = plan.defaults?.http?.hosts ?? {};
  return origins.filter((origin) => {
    const url = URL.parse(origin);
    return url !== null && isPublicHost(url.hostname) && !Object.hasOwn(hosts, url.hostname) &&
      !Object.hasOwn(hosts, url.host);
  });
}
