import { jsonResponse } from "../shop/responses.ts";
import type { DemoCall } from "../shop/call.ts";
import { Refusal } from "../shop/shop.ts";
import type { Route } from "../shop/router.ts";

/** Waits for `ms` milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** Returns true with a probability of `percent` percent (0 to 100). */
export type Chance = (percent: number) => boolean;

const MAX_MS = 60_000;

/** Creates routes that are slow or fail on request: `/slow?ms=200` and `/flaky?percent=50`. */
export function faultRoutes(chance: Chance, pause: Pause): readonly Route[] {
  return [
    ["GET", "/slow", (call) => slow(call, pause)],
    ["GET", "/flaky", (call) => flaky(call, chance)],
  ];
}

async function slow(call: DemoCall, pause: Pause): Promise<Response> {
  const ms = Math.min(MAX_MS, Number(call.query("ms") || 200));
  await pause(ms);
  return jsonResponse({ waitedMs: ms });
}

function flaky(call: DemoCall, chance: Chance): Response {
  if (chance(Number(call.query("percent") || 50))) throw new Refusal(500, "flaky on request");
  return jsonResponse({ ok: true });
}

/** Creates a deterministic `Chance`. The same seed gives the same sequence of results. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return (percent) => {
    // The linear congruential generator of Numerical Recipes. Only its high bits matter here.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < percent / 100;
  };
}

/** Creates a `Pause`. Its waits end early if `signal` is aborted. */
export function createPause(signal: AbortSignal): Pause {
  return (ms) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    });
}
