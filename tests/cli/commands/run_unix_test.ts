import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { pem } from "../../support/test_certificates.ts";
import { TempFolder } from "../../support/temp_folder.ts";

const MAIN = fromFileUrl(new URL("../../../main.ts", import.meta.url));
const SERVERS = fromFileUrl(new URL("../../support/unix_servers.ts", import.meta.url));

Deno.test({
  name: "run sends requests to Unix sockets, with and without TLS",
  ignore: Deno.build.os === "windows",
  async fn() {
    using temp = new TempFolder();
    const folder = temp.path;
    await Deno.writeTextFile(`${folder}/ca.pem`, pem("ca.pem"));
    await Deno.writeTextFile(
      `${folder}/plan.yaml`,
      `
defaults:
  http:
    hosts: {app.test: "unix:plain.sock", localhost: "unix:${folder}/tls.sock"}
    tls: {ca_file: ca.pem}
scenarios:
  s:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request: {url: "http://app.test/a"}
      - request: {url: "https://localhost/b"}
`,
    );
    const servers = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "-A", SERVERS, folder],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    try {
      const output = servers.stdout.getReader();
      assert(!(await output.read()).done);
      const run = async (...permissions: string[]) => {
        const args = ["run", "--quiet", "--no-prompt", ...permissions, MAIN, "run"];
        const command = new Deno.Command(Deno.execPath(), {
          args: [...args, `${folder}/plan.yaml`, "--once", "--bodies"],
        });
        const { code, stdout, stderr } = await command.output();
        const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
        return { code, stdout: text(stdout), stderr: text(stderr) };
      };
      const { code, stdout, stderr } = await run("-A");
      assertEquals(code, 0, stdout + stderr);
      assertStringIncludes(stdout, "< app.test/a");
      assertStringIncludes(stdout, "< tls!");
      const denied = await run("--allow-read", "--allow-env");
      assertEquals(denied.code, 1);
      assertStringIncludes(denied.stderr, `--allow-net=unix:${folder}/plain.sock`);
      await output.cancel();
    } finally {
      await servers.stdin.close();
      await servers.status;
    }
  },
});
