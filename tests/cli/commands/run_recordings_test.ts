import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse } from "@std/yaml";
import { nginxIsInstalled, startNginx } from "../../../scripts/bench/nginx.ts";
import { startDemo } from "../../../src/demo/server.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { CounterStats, RateStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { findMainOrigin } from "../../../src/traffic/har/origins.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Exchange } from "../../../src/traffic/har/recording.ts";
import { countOrigins, keptCalls } from "../../../src/traffic/session/kept_calls.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const LOG = fromFileUrl(new URL("../../../testdata/logs/apache_combined_10k.log", import.meta.url));
const BUNDLED = new URL("../../../testdata/har/real/", import.meta.url);
const TWICE = ["--iterations", "2"];

/** A third-party recording, and the calls in it that `convert` keeps, in order. */
interface Recorded {
  readonly path: string;
  readonly calls: readonly Exchange[];
}

/** Reads the third-party recordings in `testdata/`. */
async function recordings(): Promise<Recorded[]> {
  const names = [...Deno.readDirSync(BUNDLED)].map(({ name }) => name)
    .filter((name) => name.endsWith(".har")).sort();
  return await Promise.all(names.map(async (name) => {
    const path = fromFileUrl(new URL(name, BUNDLED));
    const { exchanges } = await readHar([await Deno.readFile(path)], name);
    return { path, calls: keptCalls(exchanges, undefined).exchanges };
  }));
}

/** Groups the calls of a recording by origin. */
function byOrigin({ calls }: Recorded): [origin: string, calls: readonly Exchange[]][] {
  return [...countOrigins(calls).keys()].map((origin) => [
    origin,
    calls.filter(({ request }) => new URL(request.url).origin === origin),
  ]);
}

/** Runs a command, which must succeed. Returns its standard output. */
async function rehearse(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args);
  assertEquals(code, 0, stdout + stderr);
  return stdout;
}

/**
 * Runs a plan unchanged against `origin` and returns its summary. The run must report no errors.
 */
async function run(plan: string, origin: string, ...options: string[]): Promise<Summary> {
  const file = `${plan}.json`;
  const to = ["--base-url", origin, "--quiet", "--summary-export", file];
  await rehearse("run", plan, ...to, ...options);
  const summary: Summary = JSON.parse(await Deno.readTextFile(file));
  assertEquals(summary.errors, [], plan);
  return summary;
}

/** Serves a recording with `rehearse serve` while `test` runs. Returns what `serve` printed. */
async function served(path: string, test: (origin: string) => Promise<void>): Promise<string> {
  const address = Promise.withResolvers<string>();
  let press = () => {};
  const interrupts = (act: () => void) => {
    press = act;
    return () => {};
  };
  const onStdout = (text: string) => {
    const found = / is at (\S+)/.exec(text);
    if (found) address.resolve(found[1]);
  };
  const outcome = runCli(["serve", path, "--port", "0"], { interrupts, onStdout });
  try {
    const ended = outcome.then(({ stderr }) => Promise.reject(new Error(stderr)));
    await test(await Promise.race([address.promise, ended]));
  } finally {
    press();
  }
  return (await outcome).stdout;
}

async function inFolder(test: (plan: string) => Promise<void>): Promise<void> {
  using folder = new CliFolder();
  await test(join(folder.path, "plan.yaml"));
}

/** Formats the request of a call as `GET /path?query`. */
function requestLine({ request: { method, url } }: Exchange): string {
  const { pathname, search } = new URL(url);
  return `${method} ${pathname}${search}`;
}

/**
 * Reports whether the response is a redirect that the plan follows automatically, because `calls`
 * contains no call to its target.
 */
function isFollowed({ request, response }: Exchange, calls: readonly Exchange[]): boolean {
  const location = response.headers.find(({ name }) => name.toLowerCase() === "location");
  if (location === undefined) return false;
  const target = new URL(location.value, request.url).href;
  return calls.every(({ request }) => request.url !== target);
}

/**
 * Formats the expected response to each call as `GET /path 200`. Uses status 200 if the response
 * was not recorded. A redirect that the plan follows adds a response with status 200.
 */
function recordedResponses(calls: readonly Exchange[]): string[] {
  return calls.flatMap((call) => {
    const { pathname } = new URL(call.request.url);
    const { status, unrecorded } = call.response;
    const statuses = isFollowed(call, calls) ? [status, 200] : [unrecorded ? 200 : status];
    return statuses.map((status) => `${call.request.method} ${pathname} ${status}`);
  });
}

/** Returns the responses of a run in the format of `recordedResponses`. */
function responses({ endpoints }: Summary): string[] {
  return endpoints.flatMap(({ name, statuses }) =>
    Object.entries(statuses).flatMap(([status, count]) => times(count, [`${name} ${status}`]))
  );
}

/** Replaces numbers and variables in the path of a string such as `GET /items/5 200` with `ID`. */
function withoutIds(response: string): string {
  return response.replaceAll(/\$\{\w+\}|\d+(?=[/ ])/g, "ID");
}

function times<T>(count: number, list: readonly T[]): T[] {
  return Array.from({ length: count }, () => list).flat();
}

Deno.test("a converted plan runs unchanged against `rehearse serve`, and all its requests match the recording", () =>
  inFolder(async (plan) => {
    for (const recorded of await recordings()) {
      const { path } = recorded;
      const { origin } = findMainOrigin(recorded.calls)!;
      const calls = new Map(byOrigin(recorded)).get(origin)!;
      const options = ["--origin", origin, "--correlate", "all", "--checks", "status"];
      await rehearse("convert", path, ...options, "-o", plan);
      const printed = await served(path, async (server) => {
        const summary = await run(plan, server, ...TWICE);
        const [found, expected] = [responses(summary), times(2, recordedResponses(calls))]
          .map((lines) => lines.map(withoutIds).sort());
        assertEquals(found, expected, path);
        const checked = calls.filter((call) =>
          !call.response.unrecorded && !isFollowed(call, calls)
        );
        const { passes, fails } = summary.metrics.checks as RateStats;
        assertEquals([passes, fails], [2 * checked.length, 0], path);
      });
      const sent = 2 * calls.length;
      const all =
        `${sent} requests: ${sent} matched the recording, 0 differed, 0 not in the recording; 0 stale values`;
      assertEquals(printed.split("\n")[1], all, path);
    }
  }));

/**
 * Runs the plan of each recording, one origin at a time, against the server at the URL `server`.
 * Returns the expected requests. Skips plans with extractors, because the server does not return
 * the recorded responses.
 */
async function runAll(server: string): Promise<string[]> {
  const sent: string[] = [];
  await inFolder(async (plan) => {
    for (const recorded of await recordings()) {
      for (const [origin, calls] of byOrigin(recorded)) {
        await rehearse("convert", recorded.path, "--origin", origin, "-o", plan);
        if ((await Deno.readTextFile(plan)).includes("extract:")) continue;
        const { metrics } = await run(plan, server, ...TWICE);
        assertEquals((metrics.http_reqs as CounterStats).count, 2 * calls.length);
        sent.push(...times(2, calls.map(requestLine)));
      }
    }
  });
  return sent;
}

const noNginx = !nginxIsInstalled();
if (noNginx) console.log("skipped: recordings against nginx, which is not installed");

Deno.test({
  name:
    "a converted plan sends the recorded requests to nginx in their recorded order (needs nginx)",
  ignore: noNginx,
  async fn() {
    const nginx = (await startNginx({ log: true }))!;
    try {
      const sent = await runAll(`http://127.0.0.1:${nginx.port}`);
      const lines = (await nginx.readLog()).trimEnd().split("\n");
      const logged = lines.map((line) => /"(.*?) HTTP\/1\.1" (\d+)/.exec(line)!.slice(1));
      assertEquals(logged, sent.map((request) => [request, "200"]));
    } finally {
      await nginx.stop();
    }
  },
});

Deno.test("a plan converted from a real log runs unchanged against the demo server", () =>
  inFolder(async (plan) => {
    const demo = startDemo({ catchAll: true });
    try {
      await rehearse("convert", LOG, "-o", plan);
      const load = ["--rate-scale", "18000", "--duration", "1s", "--vus", "100", "--seed", "1"];
      load.push("--allow", "incomplete");
      const { endpoints } = await run(plan, demo.origin, ...load);
      const { requests, served } = demo.stats();
      assert(requests > 0);
      const { scenarios, variables } = parse(await Deno.readTextFile(plan)) as Plan;
      const paths = new Map(scenarios.replayed_traffic.flow[0].random!.choices.map(({ steps }) => {
        const { name, method, url } = steps[0].request!;
        return [name!, `${method} ${url.replaceAll("${vars.id}", `${variables!.id}`)}`];
      }));
      const counts = (list: [string, number][]) => Object.fromEntries(list);
      assertEquals(
        counts(served.map(({ method, path, count }) => [`${method} ${path}`, count])),
        counts(endpoints.map(({ name, count }) => [paths.get(name)!, count])),
      );
    } finally {
      await demo.stop();
    }
  }));
