/**
 * Writes a log of at least BYTES bytes in the combined format. The same number always gives the
 * same bytes. About 60,000 visitors are active at a time, and new ones keep arriving. Each visitor
 * follows one of 1,000 routes, with other pages in between:
 *
 *     deno run scripts/bench/make_visits.ts BYTES | rehearse convert --from accesslog - --journeys
 */
const BYTES = Number(Deno.args[0]);
const VISITORS = 60_000;
const WAYS = 1_000;
const AGENTS = 300;
const REQUESTS_A_SECOND = 200;
const SECONDS_A_CHUNK = 4;
const FIRST_SECOND = Date.UTC(2026, 0, 1) / 1_000;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

let state = 12_345;

/** Returns a pseudorandom whole number from 0 to `end` - 1 (xorshift). */
function below(end: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % end;
}

interface Visitor {
  readonly client: string;
  readonly agent: number;
  readonly way: readonly string[];
  step: number;
}

const ways = Array.from(
  { length: WAYS },
  () => Array.from({ length: 3 + below(10) }, () => `/shop/s${below(40)}/p${below(30)}`),
);
let visitors = 0;

function newVisitor(): Visitor {
  const number = visitors++;
  const client = [24, 16, 8, 0].map((shift) => number >>> shift & 255).join(".");
  // Some routes are more frequent than others.
  return { client, agent: below(AGENTS), way: ways[below(below(WAYS) + 1)], step: 0 };
}

const present = Array.from({ length: VISITORS }, newVisitor);

function clf(second: number): string {
  const iso = new Date(second * 1_000).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1];
  return `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}

function line(time: string): string {
  const at = below(VISITORS);
  const visitor = present[at];
  const isNoise = below(10) === 0;
  const path = isNoise ? `/shop/s${below(40)}/p${below(3_000)}` : visitor.way[visitor.step++];
  if (visitor.step >= visitor.way.length) present[at] = newVisitor();
  const agent =
    `Mozilla/5.0 (X11; Linux x86_64; rv:${visitor.agent}.0) Gecko/20100101 Firefox/${visitor.agent}.0`;
  return `${visitor.client} - - [${time}] "GET ${path} HTTP/1.1" 200 5316 "-" "${agent}"\n`;
}

const encoder = new TextEncoder();
for (let written = 0, second = FIRST_SECOND; written < BYTES;) {
  let text = "";
  for (let i = 0; i < SECONDS_A_CHUNK; i++, second++) {
    const time = clf(second);
    for (let k = 0; k < REQUESTS_A_SECOND; k++) text += line(time);
  }
  const bytes = encoder.encode(text);
  written += bytes.length;
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}
