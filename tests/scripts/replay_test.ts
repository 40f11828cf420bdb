import { assertEquals } from "@std/assert";
import { judge } from "../../scripts/replay/judge.ts";
import { makeVisits } from "../../scripts/replay/make_visits.ts";
import { convert, receive } from "../../scripts/replay/replay.ts";
import { logLine } from "../builders/log_line.ts";
import { TempFolder } from "../support/temp_folder.ts";

const LOG = makeVisits({ visits: 500, seconds: 300, burst: 0.3, seed: 1 });

/** Lists what the replay of a log does not reach. */
function failures(received: string, sample: number): string[] {
  return judge(LOG, received, { squeeze: 1, sample })
    .filter(({ passes }) => !passes).map(({ name }) => name);
}

async function replay(options: readonly string[]): Promise<string[]> {
  using temp = new TempFolder();
  const folder = temp.path;
  Deno.writeTextFileSync(`${folder}/log`, LOG);
  const converted = await convert(`${folder}/log`, options);
  return failures(await receive(converted), converted.sample);
}

Deno.test("--faithful sends the requests, visits, objects and bursts of a generated log", async () => {
  assertEquals(await replay([]), []);
});

Deno.test("--faithful sends as many visits and as high bursts from a sample of half of the visits", async () => {
  const names = await replay(["--visits-size", "0.1"]);
  // The values of a small sample vary more than those of the log.
  assertEquals(names.filter((name) => !/^(?:distance|same object|peak in 1 s)/.test(name)), []);
});

Deno.test("the judge of a replay sees single requests at a constant rate", () => {
  const lines = [...LOG.matchAll(/"([A-Z]+) (\S+) HTTP/g)];
  const even = lines.map(([, method, path], i) =>
    logLine({ at: i * 150, client: String(i), method, path })
  );
  assertEquals(failures(even.join(""), lines.length), [
    "distance of transitions",
    "requests in visits of 2 or more",
    "transitions per request",
    "mean length of a visit",
    "same object as earlier in the visit",
    ...[1, 10, 60].flatMap((one) => [`variance to mean at ${one} s`, `peak in ${one} s`]),
    "visits",
  ]);
});
