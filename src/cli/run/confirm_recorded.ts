import { UsageError } from "../../base/errors.ts";
import { isPublicHost } from "../../base/host_header.ts";
import { safeText } from "../../base/safe_text.ts";
import { isRecorded } from "../../plan/kinds/list_requests.ts";
import type { Shard } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Targets } from "../../plan/targets.ts";
import { siteOf } from "../../traffic/har/origins.ts";
import type { Io } from "../system/io.ts";
import type { RunGiven } from "./run_options.ts";
import { describeRequests } from "./planned_load.ts";

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
