import fc from "fast-check";

/** Start of the generated logs in Unix milliseconds. */
const START = Date.UTC(2026, 10, 21);

const CHROME =
  '"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"';
const PATHS = [
  ...["/", "/cart", "/users/17/orders/4", "/users/18", "/search?q=tea", "/search?q=cup&page=2"],
  ...["/caf\\xC3\\xA9/7?x=1", "/app.js", "/x%2fy/99"],
];

const line: fc.Arbitrary<{ readonly step: number; readonly text: (time: string) => string }> = fc
  .record({
    // Mostly seconds, sometimes an idle time of more than 30 minutes, sometimes out of order.
    step: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1_700, max: 4_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: -2_000, max: -1 }) },
    ),
    client: fc.integer({ min: 1, max: 6 }),
    agent: fc.constantFrom(CHROME, '"curl/8.5"', '"Other/1"'),
    method: fc.constantFrom("GET", "GET", "POST"),
    path: fc.constantFrom(...PATHS),
    status: fc.constantFrom("200", "200", "302", "404", "500"),
    rest: fc.constantFrom("", "", " 12ms", ' "10.1.1.1"'),
    kind: fc.integer({ min: 0, max: 19 }),
  }).map(({ step, client, agent, method, path, status, rest, kind }) => ({
    step,
    text: (time) => {
      if (kind === 0) return "not a request";
      const address = kind === 1 ? "-" : `10.0.0.${client}`;
      return `${address} - - [${time}] "${method} ${path} HTTP/1.1" ${status} 5 "-" ${agent}${rest}`;
    },
  }));

/**
 * Generates logs in the combined format with recurring clients, ids and query strings, idle times,
 * lines out of order, and malformed lines.
 */
export function mixedLog(maxLines: number, minLines = 0): fc.Arbitrary<string[]> {
  return fc.array(line, { minLength: minLines, maxLength: maxLines, size: "max" }).map((lines) => {
    let time = START;
    return lines.map(({ step, text }) => {
      time += step * 1_000;
      const iso = new Date(time).toISOString();
      return `${text(`${iso.slice(8, 10)}/Nov/2026:${iso.slice(11, 19)} +0000`)}\n`;
    });
  });
}
