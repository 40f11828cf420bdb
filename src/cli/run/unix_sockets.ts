import type { Plan } from "../../plan/schema/plan.ts";

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
