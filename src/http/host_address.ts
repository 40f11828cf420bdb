import type { Origin } from "./sender.ts";

/** Host name or IP address, and port, to connect to. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
}

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/;

/**
 * Returns the address to connect to for `origin`. Uses the entry of `hosts` for `host:port` or for
 * `host`, or the origin's own host and port if there is no entry.
 */
export function hostAddress(
  { host, port }: Origin,
  hosts: Readonly<Record<string, string>>,
): Address {
  const to = own(hosts, `${host}:${port}`) ?? own(hosts, host);
  if (to === undefined) return { hostname: host, port };
  const [, bracketed, plain, otherPort] = WITH_PORT.exec(to) ?? [];
  if (otherPort) return { hostname: bracketed ?? plain, port: Number(otherPort) };
  return { hostname: to.replace(/^\[(.*)\]$/, "$1"), port };
}

function own(hosts: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(hosts, key) ? hosts[key] : undefined;
}
