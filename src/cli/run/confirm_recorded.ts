import { UsageError } from "../../base/errors.ts";
import { isPublicHost } from "../../base/host_header.ts";
import { safeText } from "../../base/safe_text.ts";
import { allFlows, listRequests } from "../../plan/kinds/steps/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Targets } from "../../plan/targets.ts";
import { recordedEntry } from "../../plan/text/recorded_tag.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { describeRequests } from "./planned_load.ts";

/** A public host to which a plan sends recorded requests. */
interface RecordedHost {
  /** Origin of the host, and the expected number of requests. */
  readonly text: string;
  /** True if the site of the host differs from that of the base URL. */
  readonly isForeign: boolean;
}

/**
 * Asks whether to send recorded requests to public hosts that the command line does not name. Lists
 * each host with its expected number of requests, and hosts of other sites than the base URL last.
 * Throws UsageError if the user does not agree. If nobody can respond, returns a warning that lists
 * the hosts of other sites. Returns an empty string if there are none, or if `--yes` is given.
 */
export async function confirmRecorded(
  plan: Plan,
  targets: Pick<Targets, "origins" | "originOf">,
  args: Args,
  io: Io,
): Promise<string> {
  if (args.has("yes") || !isRecorded(plan)) return "";
  const given = URL.parse(args.text("base-url") ?? "")?.origin;
  const origins = publicOrigins(plan, targets.origins).filter((origin) => origin !== given);
  if (origins.length === 0) return "";
  const { siteOf } = await import("../../traffic/har/http_origin.ts");
  const base = targets.originOf("/");
  const site = base !== undefined && URL.canParse(base) ? siteOf(base) : undefined;
  const known = new Map<string, string | undefined>();
  const originOf = (url: string) => {
    if (!known.has(url)) known.set(url, targets.originOf(url));
    return known.get(url);
  };
  const hosts = origins.map((origin): RecordedHost => {
    const isCounted = (url: string) => originOf(url) === origin;
    const requests = describeRequests(plan, isCounted, args.has("once"));
    const isForeign = site !== undefined && siteOf(origin) !== site;
    return { text: `${safeText(origin)} (${requests})`, isForeign };
  });
  const foreign = hosts.filter(({ isForeign }) => isForeign).map(({ text }) => text);
  if (!io.isInteractive?.()) {
    if (foreign.length === 0) return "";
    return `warning: this plan sends recorded requests to hosts of other sites than ${
      safeText(base!)
    }: ${foreign.join(", ")}; ${LEAVE_OUT}, or add \`--yes\` if you are allowed to test them\n`;
  }
  const own = hosts.filter(({ isForeign }) => !isForeign).map(({ text }) => text);
  if (io.confirm?.(question(own, foreign))) return "";
  throw new UsageError(
    `nothing was sent to ${safeText(origins.join(", "))}; use \`--base-url\` to select a test ` +
      `system, or \`--yes\` to send this load${foreign.length > 0 ? `; ${LEAVE_OUT}` : ""}`,
  );
}

const LEAVE_OUT = "to leave them out, convert with `--origin HOST,…`";

/** Returns the question whether to send load to hosts of the base URL's site and of other sites. */
function question(own: readonly string[], foreign: readonly string[]): string {
  const start = "The requests of this plan were recorded.";
  if (foreign.length === 0) return `${start} Send this load to ${own.join(", ")}?`;
  return [
    start,
    ...(own.length > 0 ? ["Hosts of the site under test:", ...own.map((text) => `  ${text}`)] : []),
    "Hosts of other sites, which may not be yours:",
    ...foreign.map((text) => `  ${text}`),
    "Send this load to all of them?",
  ].join("\n");
}

/** Returns the origins of public hosts, without those that the plan sends to another address. */
function publicOrigins(plan: Plan, origins: readonly string[]): string[] {
  const hosts = plan.defaults?.http?.hosts ?? {};
  return origins.filter((origin) => {
    const url = URL.parse(origin);
    return url !== null && isPublicHost(url.hostname) && !Object.hasOwn(hosts, url.hostname) &&
      !Object.hasOwn(hosts, url.host);
  });
}

/** Reports whether the plan contains a request that `convert` created from a recording. */
function isRecorded(plan: Plan): boolean {
  return allFlows(plan).some((flow) =>
    listRequests(flow).some((request) => recordedEntry(request) !== undefined)
  );
}
