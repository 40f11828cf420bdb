import { fromFileUrl, join } from "@std/path";
import { longSummary } from "../builders/long_summary.ts";
import { TempFolder } from "./temp_folder.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

const LOG = [0, 0, 1, 1, 2].map((second, i) =>
  `10.0.0.${i} - - [21/Nov/2026:10:00:0${second} +0000] "GET /products/${i} HTTP/1.1" 200 99\n`
).join("");

/**
 * Functions that create one log line, keyed by the name of the log file. They cover the logs that
 * are not in the combined format.
 */
const FORMATS: Readonly<Record<string, (time: string) => string>> = {
  "server.log": (time) => `21.11.2026 ${time} 10.0.0.1 "GET /products HTTP/1.1" 200`,
  "cdn.log": (time) =>
    `10.0.0.1 [21/Nov/2026:${time} +0000] "GET /products HTTP/1.1" 200 "203.0.113.9"`,
  "caddy.log": (time) =>
    JSON.stringify({
      ts: Date.parse(`2026-11-21T${time}Z`) / 1_000,
      request: {
        remote_ip: "10.0.0.1",
        method: "GET",
        uri: "/products",
        proto: "HTTP/1.1",
        headers: { "Fastly-Client-Ip": ["203.0.113.9"] },
      },
      status: 200,
    }),
};

/** Calls `use` with a new folder that contains all files that the docs refer to. */
export async function inDocsFolder(use: (folder: string) => Promise<void>): Promise<void> {
  using folder = new TempFolder();
  await furnish(folder.path);
  await use(folder.path);
}

/**
 * Copies the modules of the checkout to a folder. Deno would need more permissions for modules that
 * it reaches through a symbolic link.
 */
export async function copyCheckout(folder: string): Promise<void> {
  const checkout = ["main.ts", "src", "deno.json", "deno.lock"].map((name) => join(ROOT, name));
  await new Deno.Command("cp", { args: ["-r", ...checkout, folder] }).output();
}

/** Creates a bash command that runs commands from the docs with this Deno and this checkout. */
export function docsCommand(folder: string, text: string): Deno.Command {
  return new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", text],
    cwd: folder,
    env: { PATH: `${folder}/bin:${Deno.env.get("PATH")}`, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Names of files that contain summaries of runs with the same load. */
const RUNS = [
  ...["summary.json", "before.json", "after.json"],
  ...["monday.json", "tuesday.json", "wednesday.json"],
];

async function furnish(folder: string): Promise<void> {
  await Deno.mkdir(join(folder, "bin"));
  await script(join(folder, "bin/deno"), `exec '${Deno.execPath()}' "$@"`);
  await script(
    join(folder, "bin/rehearse"),
    `exec '${Deno.execPath()}' run -A --frozen '${ROOT}main.ts' "$@"`,
  );
  for (const name of ["access.log", "access.log.1", "web1.log", "web2.log"]) {
    await Deno.writeTextFile(join(folder, name), LOG);
  }
  for (const [name, line] of Object.entries(FORMATS)) {
    const lines = Array.from({ length: 9 }, (_, second) => line(`10:00:0${second}`) + "\n");
    await Deno.writeTextFile(join(folder, name), lines.join(""));
  }
  const zipped = new Blob([LOG]).stream().pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(join(folder, "access.log.2.gz"), zipped);
  for (const [seed, name] of RUNS.entries()) {
    const summary = longSummary({ seconds: 5, endpoints: 3, seed });
    await Deno.writeTextFile(join(folder, name), JSON.stringify(summary));
  }
  await copy("src/demo/sample/session.har", join(folder, "session.har"));
  await Deno.mkdir(join(folder, "testdata/logs"), { recursive: true });
  const log = "testdata/logs/apache_combined_10k.log";
  await copy(log, join(folder, log));
  await copy("testdata/plans/quick.yaml", join(folder, "plan.yaml"));
  const quick = await Deno.readTextFile(join(ROOT, "testdata/plans/quick.yaml"));
  await Deno.writeTextFile(join(folder, "log.yaml"), quick.replace("rate: 20", "rate: 0.005"));
  await copy("testdata/plans/login.yaml", join(folder, "login.yaml"));
  await copy("testdata/plans/files/users.csv", join(folder, "users.csv"));
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.copyFile(join(ROOT, from), to);
}

async function script(path: string, line: string): Promise<void> {
  await Deno.writeTextFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}
