import { Random } from "./random.ts";
import { Browser } from "./browser.ts";
import type { Fresh, ModelApp } from "./model_app.ts";

const DAY_MS = 86_400_000;

/** A server, identified by its seed and the day on which it starts. */
export interface ServerRun {
  readonly seed: string;
  readonly day: number;
}

/** The server on which the session is recorded. */
export const RECORDED: ServerRun = { seed: "recorded", day: 0 };
/** The server of a later run, which generates different tokens and ids. */
export const FRESH: ServerRun = { seed: "fresh", day: 9 };

/** Runs an application's session against a server, and returns the HAR as text. */
export function recordModel(
  { name, creator, origin, serve, use }: ModelApp,
  run: ServerRun,
): string {
  const clock = { now: Date.UTC(2026, 1, 10, 9, 30) + run.day * DAY_MS };
  const fresh: Fresh = Object.assign(new Random(`${name} ${run.seed}`), { now: () => clock.now });
  const browser = new Browser(origin, serve(fresh), clock);
  use(browser, new Random(`${name} client`));
  const [program, version] = creator.split("/");
  const head = JSON.stringify({ version: "1.2", creator: { name: program, version } }).slice(1, -1);
  const lines = browser.entries.map((entry) => JSON.stringify(entry)).join(",\n");
  return `{"log":{${head},"entries":[\n${lines}\n]}}\n`;
}
