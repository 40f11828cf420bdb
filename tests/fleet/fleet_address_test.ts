import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/base/errors.ts";
import { parseFleetAddress } from "../../src/fleet/channel.ts";

const none = () => undefined;

Deno.test("--fleet: specifies the server and the run", () => {
  const at = { server: "bus.example:4222", tls: false, files: {}, run: "checkout" };
  assertEquals(parseFleetAddress("nats://bus.example/checkout", none), at);
  assertEquals(parseFleetAddress("tls://[::1]:5000/r-1_2", none), {
    server: "[::1]:5000",
    tls: true,
    files: {},
    run: "r-1_2",
  });
});

Deno.test("--fleet: credentials come from the address or from the environment", () => {
  const env = (values: Record<string, string>) => (name: string) => values[name];
  const { user, password } = parseFleetAddress("nats://a:p%40ss@h/r", none);
  assertEquals([user, password], ["a", "p@ss"]);
  assertEquals(parseFleetAddress("nats://secret@h/r", none).token, "secret");
  const given = parseFleetAddress("nats://h/r", env({ NATS_USER: "u", NATS_PASSWORD: "p" }));
  assertEquals([given.user, given.password], ["u", "p"]);
  assertEquals(parseFleetAddress("nats://h/r", env({ NATS_TOKEN: "t" })).token, "t");
});

Deno.test("--fleet: reads the paths of credential and certificate files from the environment", () => {
  const read = (address: string, values: Record<string, string>) => {
    const { tls, files, user, token } = parseFleetAddress(address, (name) => values[name]);
    return { tls, files, login: user ?? token };
  };
  const creds = { NATS_CREDS: "a.creds", NATS_NKEY: "a.nk", NATS_USER: "u", NATS_PASSWORD: "p" };
  assertEquals(read("nats://h/r", creds), {
    tls: false,
    files: { creds: "a.creds" },
    login: undefined,
  });
  assertEquals(read("nats://h/r", { NATS_NKEY: "a.nk", NATS_TOKEN: "t" }).files, { nkey: "a.nk" });
  assertEquals(read("nats://me:secret@h/r", creds), { tls: false, files: {}, login: "me" });
  assertEquals(read("nats://h/r", { NATS_CA: "ca.pem", NATS_TOKEN: "t" }), {
    tls: true,
    files: { ca: "ca.pem" },
    login: "t",
  });
  const pair = { NATS_CERT: "c.pem", NATS_KEY: "c.key" };
  assertEquals(read("nats://h/r", pair).files, { cert: "c.pem", key: "c.key" });
  assertThrows(
    () => read("nats://h/r", { NATS_CERT: "c.pem" }),
    UsageError,
    "set both NATS_CERT and NATS_KEY",
  );
});

Deno.test("--fleet: rejects invalid addresses without showing credentials", () => {
  for (
    const address of [
      ...["bus", "http://h/r", "nats://h", "nats://h/", "nats://h/a.b", "nats://h/a/b"],
      ...["nats://h/>", "nats://h/r?x=1", "nats:///r"],
    ]
  ) {
    assertThrows(() => parseFleetAddress(address, none), UsageError, "--fleet cannot be", address);
  }
  const error = assertThrows(() => parseFleetAddress("nats://u:secret@h/a b/c", none), UsageError);
  assertEquals(error.message.includes("secret"), false);
});
