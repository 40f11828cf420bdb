import { assertEquals } from "@std/assert";
import { isLoopbackHost, isPublicHost, isTrustedHost } from "../../src/base/host_header.ts";

Deno.test("isLoopbackHost accepts only names and addresses of the loopback interface", () => {
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) {
    assertEquals(isLoopbackHost(host), true, host);
  }
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.example", "localhost.example"]) {
    assertEquals(isLoopbackHost(host), false, host);
  }
});

Deno.test("isTrustedHost accepts IP addresses, localhost and the server's name, but no other name", () => {
  const trusted = ["127.0.0.1:9000", "localhost:1234", "[::1]:9000", "10.1.2.3", "LOAD-1:9000"];
  for (const host of trusted) assertEquals(isTrustedHost(host, "Load-1"), true, host);
  const untrusted = [
    ...[null, "", "evil.example", "evil.example:9000", "127.0.0.1.evil.example"],
    ...["localhost.evil.example:9000", "load-1.evil.example:9000", "a b"],
  ];
  for (const host of untrusted) assertEquals(isTrustedHost(host, "Load-1"), false, String(host));
});

Deno.test("isPublicHost is false for addresses and names of private networks", () => {
  const isPrivate = [
    ...["localhost", "127.0.0.1", "[::1]", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.1.1"],
    ...[
      ...["[fd00::1]", "[fe80::1]", "shop", "shop.internal", "shop.local", "shop.test"],
      "a.home.arpa",
    ],
  ];
  const isPublic = ["shop.com", "8.8.8.8", "172.32.0.1", "11.0.0.1", "[2001:db8::1]", "test.org"];
  assertEquals(isPrivate.filter(isPublicHost), []);
  assertEquals(isPublic.filter(isPublicHost), isPublic);
});
