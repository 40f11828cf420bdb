import { UsageError } from "../../base/errors.ts";
import { isPublicHost } from "../../base/host_header.ts";
import { safeText } from "../../base/safe_text.ts";
import { allFlows, listRequests } from "../../plan/kinds/steps/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { recordedEntry } from "../../plan/text/recorded_tag.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";

/**
 * Asks whether to send recorded requests to public hosts that the command line does not name.
 * Throws UsageError if the user does not agree. Does not ask if `--yes` is given or nobody can
 * respond.
 */
export function confirmRecorded(
  plan: Plan,
  origins: readonly string[],
  args: Args,
  io: Io,
): void {
  if (args.has("yes") || !io.isInteractive?.() || !isRecorded(plan)) return;
  const given = URL.parse(args.text("base-url") ?? "")?.origin;
  const hosts = plan.defaults?.http?.hosts ?? {};
  const remote = origins.filter((origin) => {
    const url = URL.parse(origin);
    if (url === null || url.origin === given) return false;
    return isPublicHost(url.hostname) && !Object.hasOwn(hosts, url.hostname) &&
      !Object.hasOwn(hosts, url.host);
  });
  if (remote.length === 0) return;
  const names = safeText(remote.join(", "));
  const question = `The requests of this plan were recorded. Send this load to ${names}?`;
  if (io.confirm?.(question)) return;
  throw new UsageError(
    `nothing was sent to ${names}; use \`--base-url\` to select a test system, or ` +
      "`--yes` to send this load",
  );
}

/** Reports whether the plan contains a request that `convert` created from a recording. */
function isRecorded(plan: Plan): boolean {
  return allFlows(plan).some((flow) =>
    listRequests(flow).some((request) => recordedEntry(request) !== undefined)
  );
}
