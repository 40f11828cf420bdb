import type { Origin } from "./sender.ts";

const known = new Map<string, Origin>();

/**
 * Returns the unique object for an origin: the same for the same scheme, host and port. `host` may
 * have the brackets of an IPv6 address.
 */
export function internOrigin(secure: boolean, host: string, port: number): Origin {
  const key = `${secure ? "https" : "http"}://${host}:${port}`;
  let origin = known.get(key);
  if (origin === undefined) {
    const isDefault = port === (secure ? 443 : 80);
    origin = {
      secure,
      host: host.replace(/^\[(.*)\]$/, "$1"),
      port,
      authority: isDefault ? host : `${host}:${port}`,
    };
    known.set(key, origin);
  }
  return origin;
}

/** Returns the origin of a parsed URL, or undefined unless it is `http:` or `https:`. */
export function toOrigin({ protocol, hostname, port }: URL): Origin | undefined {
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const secure = protocol === "https:";
  return internOrigin(secure, hostname, port === "" ? (secure ? 443 : 80) : Number(port));
}
