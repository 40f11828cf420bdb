/** Reports whether only this machine can reach a host name or address (without brackets). */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/**
 * Reports whether a local server may respond to a request with this `Host` header: an address,
 * `localhost`, or the name that the server listens at. Any other name may belong to a web page that
 * makes its own name resolve to this machine (DNS rebinding).
 */
export function isTrustedHost(header: string | null, listenHost: string): boolean {
  const name = header === null ? undefined : URL.parse(`http://${header}`)?.hostname;
  if (name === undefined) return false;
  const isAddress = name.startsWith("[") || /^\d+(\.\d+){3}$/.test(name);
  return isAddress || name === "localhost" || name === listenHost.toLowerCase();
}
