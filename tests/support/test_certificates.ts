const folder = new URL("../../testdata/tls/", import.meta.url);

/** A certificate of `testdata/tls`, or its key: PEM. */
export function pem(name: "ca.pem" | `${"server" | "client"}.${"pem" | "key"}`): string {
  return Deno.readTextFileSync(new URL(name, folder));
}

/** What a server on 127.0.0.1 or localhost shows. */
export function serverPair(): Deno.TlsCertifiedKeyPem {
  return { cert: pem("server.pem"), key: pem("server.key") };
}
