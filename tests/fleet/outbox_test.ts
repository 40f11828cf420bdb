import { assert, assertEquals } from "@std/assert";
import { Channel, decodeMessage } from "../../src/fleet/channel.ts";
import { Outbox } from "../../src/fleet/run_reported_shard.ts";
import type { DeltaCounts } from "../../src/fleet/shard_counts.ts";
import { MemoryHub } from "../support/memory_bus.ts";
import { VirtualClock } from "../support/virtual_clock.ts";

function counts(endpoints: number): DeltaCounts {
  const histogram = { buckets: "", sum: 0, min: 0, max: 0 };
  return {
    second: 3,
    elapsed_ms: 3_000,
    metrics: [{ name: "http_reqs", kind: "counter", count: 5 }],
    endpoints: Array.from({ length: endpoints }, (_, i) => ({
      scenario: "s",
      group: "",
      name: `endpoint ${i}`,
      method: "GET",
      count: 1,
      failed: 0,
      unsent: 0,
      omitted_headers: 0,
      bytes_sent: 1,
      bytes_received: 1,
      statuses: { 200: 1 },
      histogram,
    })),
  };
}

function outbox() {
  const hub = new MemoryHub(new VirtualClock());
  const bus = hub.connect();
  const sent = () =>
    hub.sent.map(({ bytes }) => {
      const message = decodeMessage(bytes);
      if ("fault" in message || message.kind !== "delta") throw new Error("expected a delta");
      return message;
    });
  return { bus, sent, outbox: new Outbox(new Channel(bus, "r"), "a") };
}

Deno.test("outbox: splits a delta that is too large for the bus without losing data", () => {
  const { bus, sent, outbox: box } = outbox();
  bus.maxBytes = 2_000;
  box.push(counts(100));
  const parts = sent();
  assert(parts.length > 10);
  assertEquals(parts.map(({ seq }) => seq), parts.map((_, i) => i + 1));
  assertEquals(
    parts.flatMap(({ endpoints = [] }) => endpoints.map(({ name }) => name)),
    counts(100).endpoints!.map(({ name }) => name),
  );
  assertEquals(parts.flatMap(({ metrics = [] }) => metrics.map(({ count }) => count)), [5]);
  assertEquals(parts.map(({ second }) => second), [...parts.slice(1).map(() => 0), 3]);
});

Deno.test("outbox: resends unacknowledged deltas, except those that were just sent", () => {
  const { sent, outbox: box } = outbox();
  box.push(counts(1));
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1]);
  box.push(counts(1));
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1, 2, 1]);
  box.acknowledge(1);
  box.repeat();
  assertEquals(sent().length, 3, "the leader is only slow");
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1, 2, 1, 2]);
  box.acknowledge(2);
  box.repeat();
  assertEquals(sent().length, 4);
});

Deno.test("outbox: retries at increasing intervals while deltas are not acknowledged", () => {
  const { bus, sent, outbox: box } = outbox();
  /** Calls `repeat` `count` times. Returns the indexes of the calls that sent the delta again. */
  const repetitions = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const before = sent().length;
      box.repeat();
      return sent().length > before ? [i] : [];
    }).flat();
  box.push(counts(0));
  assertEquals(repetitions(35), [1, 2, 4, 8, 16, 24, 32]);
  bus.setConnected(false);
  assertEquals(repetitions(3), []);
  bus.setConnected(true);
  assertEquals(repetitions(3), [0, 2]);
  box.acknowledge(1);
  box.push(counts(0));
  assertEquals(repetitions(4), [1, 2]);
});

Deno.test("outbox: sends the deltas that accumulated while the bus could not be reached", () => {
  const { bus, sent, outbox: box } = outbox();
  bus.setConnected(false);
  for (let i = 0; i < 5; i++) box.push(counts(0));
  box.repeat();
  assertEquals(sent(), []);
  bus.setConnected(true);
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1, 2, 3, 4, 5]);
});
