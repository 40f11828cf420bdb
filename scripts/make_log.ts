/**
 * Generates an access log in the combined format. The same options always give the same bytes:
 *
 *     deno run scripts/make_log.ts --bytes 1GiB --seed 1 [--unique-paths N] [--clients N] [--diurnal] \
 *       > access.log
 *
 * One line in a thousand is unusual: it contains escapes, garbage from a scanner, or an unusual
 * request line.
 */
import { parseArgs } from "@std/cli/parse-args";

/** Options of `makeLog`. */
export interface LogOptions {
  /** Minimum length of the log in bytes. The last line is always complete. */
  readonly bytes: number;
  readonly seed: number;
  /** Number of distinct paths, requested at random; 0 for a realistic mix of paths (default: 0). */
  readonly uniquePaths?: number;
  /**
   * Number of clients, each with one user agent; 0 for a random client per request (default: 0).
   */
  readonly clients?: number;
  /** True if the request rate varies with the time of day (default: false, a constant rate). */
  readonly diurnal?: boolean;
}

const FIRST_SECOND = Date.UTC(2026, 2, 2) / 1_000;
const LINES_PER_SECOND = 60;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const METHODS = ["GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "DELETE"];
const STATUSES = ["200", "200", "200", "200", "201", "204", "301", "304", "404", "500"];
const SECTIONS = ["api/v1", "api/v2", "shop", "blog", "static", "assets/img", "account", "search"];
const THINGS = ["orders", "users", "products", "cart", "index.html", "app.js", "logo.png", "login"];
const REFERERS = [
  "-",
  "https://example.com/",
  "https://www.example.com/shop?page=2",
  "https://search.example/?q=tea",
];
const AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
  "curl/8.5.0",
];
const ODD_REQUESTS = [
  "-",
  "\\x16\\x03\\x01\\x02\\x00\\x01\\x00\\x01\\xfc\\x03\\x03",
  "CONNECT example.com:443 HTTP/1.1",
  'GET /say/\\"hello\\" HTTP/1.1',
  "GET /caf\\xC3\\xA9/\\xff?x=1 HTTP/1.1",
  "GET /${env.HOME}/${vars.id} HTTP/1.1",
  "GET https://example.com/absolute/17 HTTP/1.1",
  "OPTIONS * HTTP/1.0",
  "GET /old",
  "GET /with a space HTTP/1.1",
];

/** Yields the log in chunks of about 64 KiB. */
export function* makeLog(options: LogOptions): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const random = xorshift(options.seed);
  const lines = logLines(random, options);
  let text = "";
  for (let written = 0; written < options.bytes;) {
    const line = lines.next().value!;
    text += line;
    written += line.length;
    if (text.length < 65_536 && written < options.bytes) continue;
    yield encoder.encode(text);
    text = "";
  }
}

function* logLines(
  random: (below: number) => number,
  { uniquePaths = 0, clients = 0, diurnal = false }: LogOptions,
): Generator<string, never> {
  const pick = <T>(from: readonly T[]) => from[random(from.length)];
  for (let second = FIRST_SECOND;; second++) {
    const stamp = timestamp(second);
    const wave = diurnal ? 1 - Math.cos(2 * Math.PI * second / 86_400) : 1;
    const count = Math.round(LINES_PER_SECOND * wave * (0.75 + random(512) / 1024));
    for (let i = 0; i < count; i++) {
      const known = clients > 0 ? random(clients) : undefined;
      const client = known === undefined
        ? `${random(223) + 1}.${random(256)}.${random(256)}.${random(256)}`
        : `10.${known >> 16 & 255}.${known >> 8 & 255}.${known & 255}`;
      const request = random(1_000) === 0
        ? pick(ODD_REQUESTS)
        : `${uniquePaths > 0 ? "GET" : pick(METHODS)} ${target(random, uniquePaths)} HTTP/1.1`;
      yield `${client} - ${random(20) === 0 ? "jo doe" : "-"} [${stamp}] "${request}" ` +
        `${pick(STATUSES)} ${random(60_000)} "${pick(REFERERS)}" "${
          known === undefined ? pick(AGENTS) : AGENTS[known % AGENTS.length]
        }"\n`;
    }
  }
}

function target(random: (below: number) => number, uniquePaths: number): string {
  if (uniquePaths > 0) {
    const page = random(uniquePaths);
    return `/${SECTIONS[page % 8]}/${THINGS[(page >> 3) % 8]}/page-${page}.html`;
  }
  // As in real logs, few paths are frequent and many are rare.
  const skewed = (below: number) => random(random(below) + 1);
  const path = `/${SECTIONS[skewed(8)]}/${THINGS[skewed(8)]}/section-${skewed(10)}`;
  const kind = random(40);
  if (kind < 10) return `${path}/${random(1_000_000)}/view`;
  if (kind < 12) return `${path}/${hex(random, 32)}`;
  if (kind < 14) return `${path}/${uuid(random)}`;
  return kind < 18 ? `${path}?page=${random(50)}&sort=name` : path;
}

function uuid(random: (below: number) => number): string {
  const [a, b, c] = [hex(random, 8), hex(random, 4), hex(random, 12)];
  return `${a}-${b}-4${hex(random, 3)}-a${hex(random, 3)}-${c}`;
}

function hex(random: (below: number) => number, length: number): string {
  let text = "";
  while (text.length < length) text += random(2 ** 24).toString(16).padStart(6, "0");
  return text.slice(0, length);
}

function timestamp(second: number): string {
  const date = new Date(second * 1_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:` +
    `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

/**
 * Returns a pseudorandom number generator (Marsaglia's xorshift32). The generator returns whole
 * numbers from 0 to `below` - 1.
 */
function xorshift(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 ^ 0x9e3779b9) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor((state >>> 0) / 2 ** 32 * below);
  };
}

/**
 * Parses a size, such as `200`, `100MB` or `1GiB`, and returns the number of bytes. Throws an Error
 * if the text is invalid.
 */
export function parseBytes(text: string): number {
  const [, number, unit] = /^(\d+)(B|[kKMG]B|[KMG]iB)?$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`expected a size such as 100MB or 1GiB, found ${text}`);
  const power = " KMG".indexOf((unit ?? " ")[0].toUpperCase());
  return Number(number) * (unit?.endsWith("iB") ? 1024 : 1000) ** Math.max(0, power);
}

function writeAll(bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
}

if (import.meta.main) {
  const args = parseArgs(Deno.args, {
    string: ["bytes", "seed", "unique-paths", "clients"],
    boolean: ["diurnal"],
    default: { bytes: "10MB", seed: "1", "unique-paths": "0", clients: "0" },
  });
  const options = {
    bytes: parseBytes(args.bytes),
    seed: Number(args.seed),
    uniquePaths: Number(args["unique-paths"]),
    clients: Number(args.clients),
    diurnal: args.diurnal,
  };
  for (const chunk of makeLog(options)) writeAll(chunk);
}
