import { random } from "../../src/base/random.ts";
import { logLine } from "../../tests/builders/log_line.ts";

/** Options of `makeVisits`. */
export interface VisitsOptions {
  readonly visits: number;
  /** Time in which the visits start. */
  readonly seconds: number;
  /** Fraction of the visits that start within the same minute, from 0 to 1. */
  readonly burst: number;
  /** True if the rate varies with the time of day, and visitors return. */
  readonly diurnal?: boolean;
  readonly seed: number;
}

const PRODUCTS = 2_000;

/**
 * Generates the log of a shop in the combined format: visits with their products, carts, orders.
 */
export function makeVisits(
  { visits, seconds, burst, diurnal = false, seed }: VisitsOptions,
): string {
  const draw = random(seed);
  const burstAt = Math.floor(seconds * 0.6);
  const startOf = (): number => {
    if (draw.next() < burst) return burstAt + draw.next() * 60;
    const at = draw.next() * seconds;
    return !diurnal || draw.next() < (1 - Math.cos(2 * Math.PI * at / 86_400)) / 2 ? at : startOf();
  };
  const lines: { readonly at: number; readonly text: string }[] = [];
  for (let visit = 0; visit < visits; visit++) {
    const visitor = diurnal ? draw.int(0, visits >> 1) : visit;
    let at = Date.UTC(2026, 10, 21) + 1_000 * startOf();
    for (const [method, path] of walk(draw)) {
      const client = `10.${visitor >> 16}.${visitor >> 8 & 255}.${visitor & 255}`;
      lines.push({
        at,
        text: logLine({ at, client, method, path, agent: `agent ${visitor % 7}` }),
      });
      at -= 8_000 * Math.log(1 - draw.next());
    }
  }
  return lines.sort((a, b) => a.at - b.at).map(({ text }) => text).join("");
}

/** Yields the requests of a visit. */
function* walk({ next, int, uuid }: ReturnType<typeof random>): Generator<[string, string]> {
  yield ["GET", "/"];
  const cart = uuid();
  let isFilled = false;
  while (next() < 0.8) {
    if (next() < 0.5) yield ["GET", `/search?q=word${int(1, 300)}&page=${int(1, 3)}`];
    // As in real shops, few products are frequent.
    const product = int(1, int(1, PRODUCTS));
    yield ["GET", `/product/${product}`];
    if (next() < 0.5) yield ["GET", `/product/${product}/reviews?of=${product}`];
    if (next() < 0.3) {
      isFilled = true;
      yield ["POST", `/cart/${cart}/items`];
      yield ["GET", `/cart/${cart}`];
    }
  }
  if (isFilled && next() < 0.4) yield ["POST", `/cart/${cart}/order`];
}
