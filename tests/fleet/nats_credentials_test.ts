import { runCli } from "../support/cli.ts";
import { createNatsCredentials } from "../support/nats_credentials.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";

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
