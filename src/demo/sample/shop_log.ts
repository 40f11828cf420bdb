import { random } from "../../base/random.ts";
import { SAMPLE_START } from "./shop_session.ts";

/** Length of the sample log in seconds. */
const SECONDS = 600;
/**
 * Requests per second: the lowest rate, at the start and the end of the log, and the highest rate,
 * in the middle.
 */
const RATES = { least: 3, most: 12 };

/**
 * Requests of the sample log, with their relative frequencies. The demo shop serves all of them.
 */
const REQUESTS: readonly (readonly [weight: number, target: string, status: number])[] = [
  [20, "/", 200],
  [14, "/products?q=mug", 200],
  [9, "/products?q=lamp", 200],
  [6, "/products?q=wool", 200],
  [8, "/deals", 302],
  [7, "/login", 200],
  [4, "/cart", 200],
  [11, "/api/products", 200],
  [9, "/api/search?q=mug", 200],
  [5, "/api/search?q=chair", 200],
  [6, "/api/session", 200],
  [16, "/assets/shop.css", 200],
  [15, "/assets/shop.js", 200],
  [12, "/assets/logo.png", 200],
  [3, "/assets/logo.png", 304],
];

const AGENTS = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
];

/**
 * Creates an access log of the demo shop in the combined format: ten minutes, with most requests in
 * the middle. Returns the same log on every call.
 */
export function sampleLog(): string {
  const { next, int } = random(20);
  const total = REQUESTS.reduce((sum, [weight]) => sum + weight, 0);
  const lines: string[] = [];
  for (let second = 0; second < SECONDS; second++) {
    const height = Math.sin(Math.PI * second / SECONDS) ** 2;
    const rate = RATES.least + (RATES.most - RATES.least) * height;
    const count = Math.floor(rate) + (next() < rate % 1 ? 1 : 0);
    for (let i = 0; i < count; i++) {
      let at = next() * total;
      const [, target, status] = REQUESTS.find(([weight]) => (at -= weight) < 0) ?? REQUESTS[0];
      const time = clf(SAMPLE_START + second * 1_000);
      lines.push(
        `203.0.113.${int(1, 200)} - - [${time}] "GET ${target} HTTP/1.1" ${status} ` +
          `${int(200, 20_000)} "-" "${AGENTS[Math.min(AGENTS.length - 1, int(0, 12) >> 2)]}"`,
      );
    }
  }
  return lines.join("\n") + "\n";
}

/** Formats a time in Unix milliseconds in the common log format, in UTC. */
function clf(ms: number): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(
    new Date(ms).toUTCString(),
  )!;
  return `${day}/${month}/${year}:${time} +0000`;
}
