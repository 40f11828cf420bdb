import { UsageError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import { plannedCalls } from "../../calibrate/budget.ts";
import { hostAddress } from "../../http/dial.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Io } from "../system/io.ts";

/** Prints the targets of a plan, and how many requests and writes its calibration sends. */
export function announceTargets(origins: readonly string[], plan: Plan, io: Io): void {
  const { requests, writes, mostWrites } = plannedCalls(plan);
  io.stderr.write(
    safeText(
      `Sending requests to ${origins.join(", ")}: pass 1 sends ${
        plural(requests, "request")
      }, including ${plural(writes, "write")}; ` +
        `at most ${plural(mostWrites, "write")} in all rounds`,
    ) + "\n",
  );
}

/**
 * Asks whether to send requests to hosts other than this machine. Throws UsageError if the user
 * does not agree or standard input is not a terminal.
 */
export function confirmTargets(
  origins: readonly string[],
  plan: Plan,
  io: Io,
): void {
  const remote = origins.filter((origin) => !isLoopback(origin, plan.defaults?.http?.hosts ?? {}));
  if (remote.length === 0) return;
  const names = remote.join(", ");
  if (io.confirm?.(`Send these requests to ${names}?`)) return;
  throw new UsageError(
    `nothing was sent: ${names} is not this machine; if you have permission to test it, add \`--yes\``,
  );
}

/** Reports whether an origin is an address of this machine. `hosts` maps names to addresses. */
function isLoopback(origin: string, hosts: Readonly<Record<string, string>>): boolean {
  const url = URL.parse(origin);
  if (url === null) return false;
  const secure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || (secure ? 443 : 80));
  const { hostname } = hostAddress({ secure, host, port, authority: url.host }, hosts);
  return /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(hostname);
}
