/**
 * Runs web servers on 127.0.0.1, sends the same requests to each, and stores their access logs in
 * `testdata/logs/samples/servers`, each with the client's record of the requests. Skips servers
 * that are not installed.
 *
 *     deno run -A scripts/server_samples.ts [--port N] [NAME...]
 *
 * --port N   first of three ports on 127.0.0.1 (default: 24100)
 */
import { parseArgs } from "@std/cli/parse-args";
import http from "node:http";
import { LOGGED_SERVERS } from "./samples/servers/logged_servers.ts";
import type { LoggedServer, Site } from "./samples/servers/server.ts";

const FOLDER = new URL("../testdata/logs/samples/servers/", import.meta.url).pathname;
const CLIENTS = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
const REQUESTS = Array.from({ length: 30 }, (_, i) => ({
  method: i % 7 === 5 ? "HEAD" : i % 7 === 3 ? "POST" : "GET",
  target: ["/", "/cart.html?id=7", "/missing/7", "/item.html?q=a%20b", "/cart.html"][i % 5],
  client: CLIENTS[i * 2 % CLIENTS.length],
}));
const WARM_UP = "/warm-up";
const PAUSE_MS = 150;
/** Maximum number of attempts to reach a server, one every 500 ms. */
const ATTEMPTS = 120;

const args = parseArgs(Deno.args, { string: ["port"], default: { port: "24100" } });
const backendPort = Number(args.port) + 1;
const names = args._.length > 0 ? args._.map(String) : Object.keys(LOGGED_SERVERS);
await Deno.mkdir(FOLDER, { recursive: true });
const application = Deno.serve(
  { hostname: "127.0.0.1", port: backendPort, onListen: () => {} },
  (request) => {
    const isMissing = new URL(request.url).pathname.startsWith("/missing");
    return new Response("hello", { status: isMissing ? 404 : 200 });
  },
);
for (const name of names) await record(name, LOGGED_SERVERS[name]);
await application.shutdown();
Deno.exit();

async function record(name: string, server: LoggedServer): Promise<void> {
  const version = await firstLine(server.version);
  if (version === undefined) return console.log(`${name}: skipped, not installed`);
  const folder = await Deno.makeTempDir({ prefix: "samples-" });
  // Squid changes its user before it writes.
  await Deno.chmod(folder, 0o777);
  const site = { folder, port: Number(args.port), backend: backendPort };
  await writeFiles(site, server);
  const output: string[] = [];
  const running = [server.command(site)].map((command) => start(command, site, server, output));
  try {
    await reach(site);
    if (server.warmsUp) await send(site.port, "GET", WARM_UP, CLIENTS[0]);
    for (const helper of server.helpers?.(site) ?? []) {
      running.push(start(helper, site, server, output));
    }
    if (server.helpers !== undefined) await pause(2_000);
    const sent = await sendAll(site);
    await pause(2_000);
    const log = await readLog(site, server, output, sent.length);
    await Deno.writeTextFile(`${FOLDER}${name}.log`, log);
    const text = JSON.stringify({ version, sent }, null, 1).replace(/\n {3,}/g, " ")
      .replace(/\n {2}\}/g, " }");
    await Deno.writeTextFile(`${FOLDER}${name}.json`, `${text}\n`);
    console.log(`${name}: ${log.split("\n").length - 1} lines, ${version}`);
  } catch (error) {
    console.log(`${name}: failed: ${(error as Error).message}\n${output.slice(0, 20).join("\n")}`);
  } finally {
    for (const process of running.reverse()) await stop(process);
    await Deno.remove(folder, { recursive: true });
  }
}

async function writeFiles(site: Site, server: LoggedServer): Promise<void> {
  const files = {
    "www/index.html": "hello",
    "www/cart.html": "cart",
    "www/item.html": "item",
    ...server.files?.(site),
  };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${site.folder}/${path.replace(/[^/]*$/, "")}`, { recursive: true });
    await Deno.writeTextFile(`${site.folder}/${path}`, text);
  }
}

function start(
  [command, ...args]: readonly string[],
  site: Site,
  server: LoggedServer,
  output: string[],
): Deno.ChildProcess {
  const env = server.env?.(site);
  const process = new Deno.Command(command, {
    args,
    cwd: site.folder,
    env,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  for (const stream of [process.stdout, process.stderr]) void collect(stream, output);
  return process;
}

async function collect(stream: ReadableStream<Uint8Array>, output: string[]): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop()!;
    output.push(...lines);
  }
}

async function reach({ port }: Site): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch {
      await pause(500);
    }
  }
  throw new Error("it does not listen");
}

async function sendAll({ port }: Site) {
  const sent = [];
  for (const { method, target, client } of REQUESTS) {
    const time = Date.now();
    const status = await send(port, method, target, client);
    sent.push({ time, method, target, client, status });
    await pause(PAUSE_MS);
  }
  return sent;
}

function send(port: number, method: string, path: string, client: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, localAddress: client, agent: false };
    const headers = {
      "user-agent": "samples/1.0",
      ...(method === "POST" && { "content-length": 0 }),
    };
    http.request({ ...options, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    }).on("error", reject).end();
  });
}

/**
 * Waits until the log has a line for each request, because servers may write some lines late.
 * Returns the log.
 */
async function readLog(
  { folder }: Site,
  { log, isLine }: LoggedServer,
  output: readonly string[],
  expected: number,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const file = [...Deno.readDirSync(folder)].map(({ name }) => name)
      .find((name) => log !== undefined && name.startsWith(log));
    const lines = log === undefined
      ? output.filter((line) => isLine!.test(line))
      : file === undefined
      ? []
      : Deno.readTextFileSync(`${folder}/${file}`).trimEnd().split("\n");
    const found = lines.filter((line) => line !== "" && !line.includes(WARM_UP));
    if (found.length >= expected) return `${found.join("\n")}\n`;
    await pause(500);
  }
  throw new Error("the log has too few lines");
}

async function firstLine([command, ...args]: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
    if (!success) return undefined;
    const decoder = new TextDecoder();
    const lines = `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`.split("\n");
    return lines.find((line) => line.trim() !== "")?.trim();
  } catch {
    return undefined;
  }
}

async function stop(process: Deno.ChildProcess): Promise<void> {
  try {
    process.kill("SIGTERM");
  } catch {
    // It has already ended.
  }
  const kill = setTimeout(() => process.kill("SIGKILL"), 10_000);
  await process.status;
  clearTimeout(kill);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
