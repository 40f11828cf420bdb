import { assertEquals } from "@std/assert";
import { Viewers } from "../../../src/cli/live/ui_server.ts";

/** Reads the next event from a stream. */
async function next(events: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const reader = events.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return value && new TextDecoder().decode(value);
}

const all = () => "all";

Deno.test("Viewers sends the first event, later events and the last event to each browser", async () => {
  const viewers = new Viewers();
  const [early, late] = [viewers.add(undefined)!, viewers.add("state")!];
  viewers.send(() => "1", all);
  viewers.end(() => "end");
  const got = async (
    of: ReadableStream<Uint8Array>,
  ) => [await next(of), await next(of), await next(of), await next(of)];
  assertEquals(await got(early), [": hello\n\n", "1", "end", undefined]);
  assertEquals(await got(late), ["state", "1", "end", undefined]);
});

Deno.test("Viewers sends the whole state to a browser that missed events, as soon as it reads again", async () => {
  const viewers = new Viewers();
  const slow = viewers.add("state")!;
  let made = 0;
  for (let i = 1; i <= 1_000; i++) {
    viewers.send(() => {
      made++;
      return String(i);
    }, all);
  }
  assertEquals(made, 3);
  const got = [await next(slow), await next(slow), await next(slow), await next(slow)];
  assertEquals(got, ["state", "1", "2", "3"]);
  viewers.send(() => "1001", all);
  viewers.send(() => "1002", all);
  assertEquals([await next(slow), await next(slow)], ["all", "1002"]);
});

Deno.test("Viewers renders an event at most once, and only if a browser needs it", async () => {
  const viewers = new Viewers();
  let made = 0;
  const event = () => String(++made);
  viewers.send(event, all);
  assertEquals(made, 0);
  const two = [viewers.add("state")!, viewers.add("state")!];
  viewers.send(event, all);
  for (const viewer of two) assertEquals([await next(viewer), await next(viewer)], ["state", "1"]);
});

Deno.test("Viewers accepts at most 50 browsers at a time", async () => {
  const viewers = new Viewers();
  const streams = Array.from({ length: 50 }, () => viewers.add("state")!);
  assertEquals(viewers.add("state"), undefined);
  await streams[7].cancel();
  assertEquals(viewers.add("state") instanceof ReadableStream, true);
});
