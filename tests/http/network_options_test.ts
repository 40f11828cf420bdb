import { assertEquals, assertThrows } from "@std/assert";
import { InputError } from "../../src/base/errors.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { testOptions } from "../support/http_client.ts";
import { pem } from "../support/test_certificates.ts";

const FILES: Record<string, string> = {
  "ca.pem": pem("ca.pem"),
  "client.pem": pem("client.pem"),
  "client.key": pem("client.key"),
  "notes.txt": "no PEM",
};
const read = (path: string) => FILES[path];

Deno.test("network options: have the documented defaults", () => {
  assertEquals(networkOptions({}, read), testOptions({ version: "auto" }));
});

Deno.test("network options: contain the contents of the certificate files, and can be sent to a worker", () => {
  const options = networkOptions({
    version: "http2",
    keep_alive: false,
    hosts: { a: "127.0.0.1" },
    tls: {
      ca_file: "ca.pem",
      cert_file: "client.pem",
      key_file: "client.key",
      server_name: "b",
      insecure_skip_verify: true,
    },
  }, read);
  assertEquals(options.tls, {
    insecureSkipVerify: true,
    ca: FILES["ca.pem"],
    cert: FILES["client.pem"],
    key: FILES["client.key"],
    serverName: "b",
  });
  assertEquals([options.version, options.keepAlive], ["http2", false]);
  assertEquals(structuredClone(options), options);
});

Deno.test("network options: reject a file without PEM data or a certificate without its key", () => {
  for (
    const tls of [
      { ca_file: "notes.txt" },
      { cert_file: "client.key", key_file: "client.key" },
      { cert_file: "client.pem", key_file: "client.pem" },
    ]
  ) assertThrows(() => networkOptions({ tls }, read), InputError, "PEM format");
  for (const tls of [{ cert_file: "client.pem" }, { key_file: "client.key" }]) {
    assertThrows(() => networkOptions({ tls }, read), InputError, "set both");
  }
});
