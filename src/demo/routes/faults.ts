import { jsonResponse } from "../responses.ts";
import type { DemoCall } from "../call.ts";
import type { Chance } from "../chance.ts";
import type { Pause } from "../pause.ts";
import { Refusal } from "../refusal.ts";
import type { Route } from "../router.ts";

const MAX_MS = 60_000;

/**
 * Creates routes with a requested delay or failure rate: `/slow?ms=200` and `/flaky?percent=50`.
 */
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
