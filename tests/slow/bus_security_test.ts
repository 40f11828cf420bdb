import { assertEquals, assertRejects } from "@std/assert";
import { nkeys } from "@nats-io/transport-node";
import { parseFleetAddress } from "../../src/fleet/channel.ts";
import { connectNats } from "../../src/fleet/nats_bus.ts";
import { createNatsCredentials } from "../support/nats_credentials.ts";
import { NATS_SERVER, startNats } from "../support/nats_server.ts";
import { TempFolder } from "../support/temp_folder.ts";

type Env = Readonly<Record<string, string>>;

/** Login of a client: the prefix of the bus address, and environment variables. */
interface Login {
  readonly prefix?: string;
  readonly env?: Env;
}

const TLS = new URL("../../testdata/tls/", import.meta.url).pathname;

/**
 * Connects as `run --fleet` and `join` do, sends a message to itself, and closes the connection.
 */
async function exchange(address: string, { prefix = "nats://", env = {} }: Login): Promise<void> {
  const parsed = parseFleetAddress(`${prefix}${address}/r`, (name) => env[name]);
  const files = Object.fromEntries(
    Object.entries(parsed.files).map(([file, path]) => [file, Deno.readTextFileSync(path)]),
  );
  const bus = await connectNats(parsed, files);
  try {
    const received = Promise.withResolvers<Uint8Array>();
    bus.subscribe("rehearse.r.all", received.resolve);
    bus.publish("rehearse.r.all", new Uint8Array([7]));
    assertEquals([...await received.promise], [7]);
  } finally {
    await bus.close();
  }
}

/**
 * Tests a NATS server that starts with the arguments that `server` returns. It must accept the
 * logins in `accepted` and reject those in `rejected`.
 */
function securityTest(
  name: string,
  server: (folder: string) => readonly string[] | Promise<readonly string[]>,
  { accepted, rejected }: Readonly<Record<"accepted" | "rejected", (folder: string) => Login[]>>,
): void {
  Deno.test({
    name: `a NATS server with ${name} accepts only matching logins`,
    ignore: NATS_SERVER === undefined, // `.ci/run` installs it
    async fn() {
      using temp = new TempFolder();
      const folder = temp.path;
      const nats = await startNats(await server(folder));
      try {
        for (const login of accepted(folder)) await exchange(nats.address, login);
        for (const login of rejected(folder)) {
          await assertRejects(() => exchange(nats.address, login), Error);
        }
      } finally {
        await nats.kill();
      }
    },
  });
}

securityTest("a user and a password", () => ["--user", "me", "--pass", "p@ss"], {
  accepted: () => [
    { prefix: "nats://me:p%40ss@" },
    { env: { NATS_USER: "me", NATS_PASSWORD: "p@ss" } },
  ],
  rejected: () => [{}, { prefix: "nats://me:wrong@" }, { prefix: "nats://me@" }],
});

securityTest("a token", () => ["--auth", "secret"], {
  accepted: () => [{ prefix: "nats://secret@" }, { env: { NATS_TOKEN: "secret" } }],
  rejected: () => [{}, { env: { NATS_TOKEN: "wrong" } }],
});

securityTest("an NKey", async (folder) => {
  const [key, other] = [nkeys.createUser(), nkeys.createUser()];
  const seed = (pair: typeof key) => new TextDecoder().decode(pair.getSeed());
  await Deno.writeTextFile(`${folder}/user.nk`, `# comment\n${seed(key)}\n`);
  await Deno.writeTextFile(`${folder}/other.nk`, seed(other));
  const config = `authorization: {users: [{nkey: ${key.getPublicKey()}}]}\n`;
  await Deno.writeTextFile(`${folder}/nats.conf`, config);
  return ["--config", `${folder}/nats.conf`];
}, {
  accepted: (folder) => [{ env: { NATS_NKEY: `${folder}/user.nk` } }],
  rejected: (folder) => [{}, { env: { NATS_NKEY: `${folder}/other.nk` } }],
});

securityTest("accounts and credentials files", async (folder) => {
  const { config, creds, foreign } = createNatsCredentials();
  await Deno.writeTextFile(`${folder}/nats.conf`, config);
  await Deno.writeTextFile(`${folder}/user.creds`, creds);
  await Deno.writeTextFile(`${folder}/foreign.creds`, foreign);
  return ["--config", `${folder}/nats.conf`];
}, {
  accepted: (folder) => [{ env: { NATS_CREDS: `${folder}/user.creds` } }],
  rejected: (folder) => [{}, { env: { NATS_CREDS: `${folder}/foreign.creds` } }],
});

const SERVER_TLS = ["--tls", "--tlscert", `${TLS}server.pem`, "--tlskey", `${TLS}server.key`];

securityTest("TLS", () => SERVER_TLS, {
  accepted: () => [
    { prefix: "tls://", env: { NATS_CA: `${TLS}ca.pem` } },
    { env: { NATS_CA: `${TLS}ca.pem` } },
  ],
  // The certificate is signed by an authority that the client does not know.
  rejected: () => [{ prefix: "tls://" }, {}],
});

securityTest("client certificates", () => {
  return [...SERVER_TLS, "--tlsverify", "--tlscacert", `${TLS}ca.pem`];
}, {
  accepted: () => [{
    env: {
      NATS_CA: `${TLS}ca.pem`,
      NATS_CERT: `${TLS}client.pem`,
      NATS_KEY: `${TLS}client.key`,
    },
  }],
  rejected: () => [{ env: { NATS_CA: `${TLS}ca.pem` } }],
});

securityTest("neither TLS nor a login", () => [], {
  accepted: () => [{}],
  // A client that asks for encryption must not fall back to plain text.
  rejected: () => [{ prefix: "tls://" }, { env: { NATS_CA: `${TLS}ca.pem` } }],
});
