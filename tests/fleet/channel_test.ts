import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { UsageError } from "../../src/base/errors.ts";
import { VERSION } from "../../src/base/release.ts";
import { decodeMessage, encodeMessage, parseFleetAddress } from "../../src/fleet/channel.ts";
import { ClockOffset } from "../../src/fleet/links.ts";
import { connectNats } from "../../src/fleet/nats_bus.ts";
import { runCli } from "../support/cli.ts";
import { createNatsCredentials } from "../support/nats_credentials.ts";
import { textOf } from "../support/parsed.ts";
import { type Peer, wireServer } from "../support/wire_server.ts";

const text = (value: string) => new TextEncoder().encode(value);

Deno.test("codec: decoding an encoded message returns the same message", () => {
  const message = { kind: "beat" as const, from: "a-1" };
  assertEquals(decodeMessage(encodeMessage(message)), message);
});

Deno.test("codec: rejects messages with another version, kind, shape or size", () => {
  const faults: readonly (readonly [string, string])[] = [
    ["null", "a message is not a JSON object"],
    ["{", "a message is not a JSON object"],
    ["{}", "a message comes from another version of rehearse"],
    ['{"rehearse":1,"kind":"beat","from":"a"}', "a message comes from another version of rehearse"],
    [
      '{"rehearse":"0","kind":"beat","from":"a"}',
      "a message comes from another version of rehearse",
    ],
    [`{"rehearse":"${VERSION}","kind":"constructor"}`, "a message has an unknown kind"],
    [`{"rehearse":"${VERSION}","kind":"beat"}`, "a message of kind beat is invalid"],
    [`{"rehearse":"${VERSION}","kind":"beat","from":"a b"}`, "a message of kind beat is invalid"],
    [
      `{"rehearse":"${VERSION}","kind":"ack","leader":"a","seq":-1,"done":false}`,
      "a message of kind ack is invalid",
    ],
    [
      `{"rehearse":"${VERSION}","kind":"beat","from":"a"${" ".repeat(9_000)}}`,
      "a message of kind beat is too large",
    ],
  ];
  for (const [given, fault] of faults) {
    const decoded = decodeMessage(text(given));
    assertEquals("fault" in decoded && decoded.fault, fault, given);
  }
});

Deno.test("codec: reports a fault instead of throwing, for any bytes and any JSON", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals("fault" in decodeMessage(bytes), true);
  }));
  const kinds = fc.constantFrom("delta", "welcome", "pulse", "hello", "done", "ready");
  fc.assert(fc.property(kinds, fc.dictionary(fc.string(), fc.jsonValue()), (kind, content) => {
    const decoded = decodeMessage(text(JSON.stringify({ rehearse: VERSION, kind, ...content })));
    assertEquals("fault" in decoded, true);
  }));
});

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

Deno.test("clock offset: the error is at most half of the shortest round trip", () => {
  const delay = fc.double({ min: 0, max: 500, noNaN: true });
  const trips = fc.array(fc.tuple(delay, delay), { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(trips, fc.integer({ min: -1e6, max: 1e6 }), (trips, ahead) => {
    const offset = new ClockOffset();
    let now = 0;
    const shortest = Math.min(...trips.map(([there, back]) => there + back));
    for (const [there, back] of trips) {
      offset.add(now, now + there + back, now + there + ahead);
      now += 1_000;
    }
    const error = Math.abs(offset.toLeader(now) - (now + ahead));
    assert(error <= shortest / 2 + 1e-6);
    assertEquals(Math.abs(offset.fromLeader(offset.toLeader(now)) - now) < 1e-6, true);
  }));
});

Deno.test("clock offset: ignores impossible round trips", () => {
  const offset = new ClockOffset();
  offset.add(10, 5, 1_000);
  assertEquals(offset.count, 0);
});

const INFO = JSON.stringify({
  ...{ server_id: "x", server_name: "x", version: "2.10.0", proto: 1, go: "go1" },
  ...{ host: "127.0.0.1", port: 4222, headers: true, max_payload: 1_048_576, client_id: 1 },
});

/** Calls `act` after a client has connected, as a NATS server does. */
async function withServer(act: (peer: Peer) => Promise<void>): Promise<void> {
  const done = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    await peer.write(`INFO ${INFO}\r\n`);
    for (let text = ""; !text.includes("PING\r\n");) text += textOf(await peer.some());
    await peer.write("PONG\r\n");
    if (peer.index === 0) await act(peer).then(done.resolve, done.reject);
  });
  const bus = await connectNats({
    ...{ server: `127.0.0.1:${server.port}`, tls: false, files: {}, run: "r" },
  });
  try {
    bus.subscribe("rehearse.r.all", () => {});
    await done.promise;
  } finally {
    await bus.close();
  }
}

Deno.test("the bus responds to the pings of a server", () =>
  withServer(async (peer) => {
    await peer.write("PING\r\n");
    for (let text = ""; !text.includes("PONG\r\n");) text += textOf(await peer.some());
  }));

const { creds } = createNatsCredentials();
const SEED = /^SU.*$/m.exec(creds)![0];

const MALFORMED: [name: string, content: string][] = [
  ["NATS_CREDS", "no credentials"],
  ["NATS_CREDS", ""],
  ["NATS_CREDS", creds.slice(0, creds.indexOf("-----BEGIN USER"))],
  ["NATS_CREDS", creds.replace(SEED, SEED.slice(0, -4))],
  ["NATS_NKEY", "# only a comment"],
  ["NATS_NKEY", SEED.slice(0, -4)],
  ["NATS_NKEY", "not a seed"],
];

for (const [i, [name, content]] of MALFORMED.entries()) {
  Deno.test(`a command ends immediately if the file set in ${name} is malformed, and does not show the file's content (${i + 1})`, async () => {
    const path = await Deno.makeTempFile();
    try {
      await Deno.writeTextFile(path, content);
      const { code, stderr } = await runCli(["join", "--fleet", "nats://127.0.0.1:1/r"], {
        env: { [name]: path },
      });
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, `error: ${name}: the file is malformed; expected a`);
      assertEquals(stderr.includes("again"), false);
      assertEquals(stderr.includes(SEED.slice(4, 20)), false);
    } finally {
      await Deno.remove(path);
    }
  });
}
