import { join } from "@std/path";

/**
 * Work per response: `plain` checks the status, over HTTP/1.1, `http2` does the same over HTTP/2,
 * and `json` also extracts a value from JSON and uses a cookie jar.
 */
export type Work = "plain" | "json" | "http2";

/** The load that a load generator other than `rehearse` generates. */
export interface Target {
  readonly url: string;
  readonly connections: number;
  /** Number of requests in progress on each connection. */
  readonly streams: number;
  readonly seconds: number;
  /** Maximum number of threads or cores that the load generator uses. */
  readonly threads: number;
}

/** The result of a load generator's run. */
export interface Measurement {
  readonly perSecond: number;
  /** CPU time of the client per request, in µs. */
  readonly cpuUs: number;
}

interface Peer {
  readonly work: Work;
  readonly args: (target: Target) => readonly string[];
  readonly env?: (target: Target) => Record<string, string>;
  /** Matches the requests per second in the output. */
  readonly rate: RegExp;
}

const PEERS: Readonly<Record<string, Peer>> = {
  "wrk": {
    work: "plain",
    args: ({ url, connections, seconds, threads }) => [
      `-t${threads}`,
      `-c${connections}`,
      `-d${seconds}s`,
      `${url}/`,
    ],
    rate: /Requests\/sec:\s+([\d.]+)/,
  },
  "k6": k6("plain"),
  "k6 json": k6("json"),
  "h2load": {
    work: "http2",
    args: ({ url, connections, streams, seconds, threads }) => [
      ...[`-t${threads}`, `-c${connections}`, `-m${streams}`, `-D${seconds}`, `${url}/`],
    ],
    rate: /finished in [\d.]+\w+, ([\d.]+) req\/s/,
  },
  "deno node:http2": {
    work: "http2",
    args: ({ url, connections, streams, seconds }) => [
      ...["run", "--allow-all", new URL("./node_http2.ts", import.meta.url).pathname],
      ...[`${url}/`, `${connections}`, `${streams}`, `${seconds}`],
    ],
    rate: /([\d.]+) requests\/s/,
  },
  "k6 http2": k6("http2"),
  "loadr": loadr("plain"),
  "loadr json": loadr("json"),
  "oha": {
    work: "plain",
    args: ({ url, connections, seconds }) => [
      ...["--no-tui", "--insecure", "--output-format", "json"],
      ...["-z", `${seconds}s`, "-c", `${connections}`, `${url}/`],
    ],
    env: ({ threads }) => ({ TOKIO_WORKER_THREADS: `${threads}` }),
    rate: /"requestsPerSec":\s*([\d.]+)/,
  },
  "autocannon": {
    work: "plain",
    args: ({ url, connections, seconds }) => [
      ...["--json", "-c", `${connections}`, "-d", `${seconds}`, `${url}/`],
    ],
    rate: /"requests":\{"average":([\d.]+)/,
  },
};

/** Returns the names of the other load generators that can do the given work. */
export function peersFor(work: Work): string[] {
  return Object.keys(PEERS).filter((name) => PEERS[name].work === work);
}

/**
 * Runs another load generator from one of `folders` or from the PATH. Returns undefined if it is
 * not installed. Throws an Error if its output contains no rate.
 */
export async function runPeer(
  name: string,
  target: Target,
  folders: readonly string[],
): Promise<Measurement | undefined> {
  const { args, env, rate } = PEERS[name];
  const [program] = name.split(" ");
  // The shell's `time` prints the CPU time of the command.
  const timed = 'TIMEFORMAT="cpu %U %S"; time "$@"';
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", timed, "bash", findProgram(program, folders), ...args(target)],
    env: env?.(target),
  }).output();
  if (code === 127) return undefined;
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const perSecond = Number(rate.exec(out)?.[1]);
  if (!(perSecond > 0)) throw new Error(`the output of ${name} contains no rate: ${err || out}`);
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(err)!.map(Number);
  return { perSecond, cpuUs: (user + system) * 1e6 / (perSecond * target.seconds) };
}

function findProgram(program: string, folders: readonly string[]): string {
  for (const folder of folders) {
    try {
      const path = join(folder, program);
      if (Deno.statSync(path).isFile) return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return program;
}

function k6(work: Work): Peer {
  return {
    work,
    args: ({ url, connections, streams, seconds }) => [
      ...["run", "--quiet", "--no-usage-report", "--vus", `${connections}`],
      ...["--duration", `${seconds}s`, "--env", `URL=${url}`, "--env", `STREAMS=${streams}`],
      new URL(`./k6_${work === "json" ? work : "plain"}.js`, import.meta.url).pathname,
    ],
    env: ({ threads }) => ({ GOMAXPROCS: `${threads}` }),
    rate: /http_reqs[.\s]*:\s+\d+\s+([\d.]+)\/s/,
  };
}

function loadr(work: Work): Peer {
  return {
    work,
    args: ({ connections, seconds }) => [
      ...["run", "--quiet", "--vus", `${connections}`, "--duration", `${seconds}s`],
      new URL(`./loadr_${work}.yaml`, import.meta.url).pathname,
    ],
    env: ({ url, threads }) => ({ URL: url, TOKIO_WORKER_THREADS: `${threads}` }),
    rate: /http_reqs[.\s]*:\s+\d+\s+\(([\d.]+)\/s\)/,
  };
}
