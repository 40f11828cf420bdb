const folder = new URL("../../testdata/tls/", import.meta.url);

/** Reads a certificate or key from `testdata/tls` as PEM text. */
export function pem(name: "ca.pem" | `${"server" | "client"}.${"pem" | "key"}`): string {
  return Deno.readTextFileSync(new URL(name, folder));
}

/** Returns a certificate and key for a server on 127.0.0.1 or localhost. */
export function serverPair(): Deno.TlsCertifiedKeyPem {
  return { cert: pem("server.pem"), key: pem("server.key") };
}
