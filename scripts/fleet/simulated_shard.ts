import { Histogram } from "../../src/base/histogram.ts";
import { random } from "../../src/base/random.ts";
import { realClock } from "../../src/engine/vu/clock.ts";
import type { MetricData } from "../../src/engine/metrics/snapshot.ts";
import { timelinePoint } from "../../src/engine/metrics/timeline.ts";
import { Channel, type FleetAddress } from "../../src/fleet/channel.ts";
import { connectNats } from "../../src/fleet/nats_bus.ts";
import { type DeltaCounts, DeltaEncoder } from "../../src/fleet/shard_counts.ts";
import { LeaderLink } from "../../src/fleet/links.ts";
import { Outbox } from "../../src/fleet/run_reported_shard.ts";
import { METRIC_KINDS } from "../../src/plan/text/metrics.ts";

/** Number of different deltas to generate. A delta contains what a shard counts in one second. */
const VARIANTS = 20;
const ENDPOINTS = 5;

/**
 * Generates different deltas, each with what a shard counts in one second if it sends `rate`
 * requests per second to 5 endpoints. The response times are random values around 20 ms.
 */
export function simulatedDeltas(rate: number): DeltaCounts[] {
  return Array.from({ length: VARIANTS }, (_, i) => simulatedDelta(rate, i));
}

function simulatedDelta(rate: number, seed: number): DeltaCounts {
  const draw = random(seed);
  const durations = (count: number) => {
    const histogram = new Histogram();
    for (let n = 0; n < count; n++) histogram.record(20_000 * Math.exp(0.6 * draw.gaussian()));
    return histogram;
  };
  const metrics = Object.fromEntries(
    Object.entries(METRIC_KINDS).map(([name, kind]): [string, MetricData] => {
      if (kind === "counter") return [name, { kind, count: rate }];
      if (kind === "rate") return [name, { kind, passes: 0, total: rate }];
      if (kind === "gauge") return [name, { kind, value: 5, min: 1, max: 9 }];
      return [name, { kind, histogram: durations(rate).data() }];
    }),
  );
  const counts = { at: 1, vus: 5, scheduled: rate, started: rate, dropped: 0, requests: rate };
  return new DeltaEncoder().tick({
    metrics,
    last: timelinePoint({ ...counts, failed: 0 }, durations(rate)),
    scenarios: [{ name: "main", vus: 5, atWork: 5, iterations: rate, interrupted: 0, dropped: 0 }],
    details: {
      checks: [{
        name: "status is 200",
        scenario: "main",
        group: "",
        request: "GET /products/0",
        passes: rate,
        fails: 0,
      }],
      errors: [],
      failures: [],
      groups: [],
      scenarios: [{
        name: "main",
        executor: "constant-arrival-rate",
        started: rate,
        ended: "finished",
        iterations: rate,
        interrupted: 0,
        dropped: 0,
        max_vus: 9,
        scheduled_ms: 0,
        lag: durations(rate).data(),
      }],
      endpoints: Array.from({ length: ENDPOINTS }, (_, i) => ({
        scenario: "main",
        group: "",
        name: `GET /products/${i}`,
        method: "GET",
        count: rate / ENDPOINTS,
        failed: 0,
        bytes_sent: 100 * rate,
        bytes_received: 1_000 * rate,
        statuses: { 200: rate / ENDPOINTS },
        histogram: durations(rate / ENDPOINTS).data(),
      })),
    },
  }, 1_000);
}

/**
 * Connects a simulated shard to the bus, and resolves to a function that runs it. This function
 * reports a random element of `deltas` each second for `seconds` seconds, and waits until the
 * leader has confirmed the shard's result. It returns the time from the end of the schedule until
 * the confirmation, in ms.
 */
export async function startSimulatedShard(
  address: FleetAddress,
  deltas: readonly DeltaCounts[],
  seconds: number,
): Promise<() => Promise<number>> {
  const bus = await connectNats(address);
  const clock = realClock();
  const channel = new Channel(bus, address.run);
  const id = crypto.randomUUID();
  const link = new LeaderLink(channel, clock, id);
  const outbox = new Outbox(channel, id);
  return async () => {
    let leader: string | undefined;
    link.on.welcome = (welcome) => leader = welcome.leader;
    let refused: string | undefined;
    link.on.refusal = ({ reason }) => refused = reason;
    await link.until(() => leader, () => {
      link.send({ kind: "hello", from: id, name: "simulated", index: null });
    });
    link.follow(leader!);
    // All processes are on this machine, but only the leader knows the zero of its clock.
    let aheadMs = 0;
    link.on.pong = ({ sent, now }) => aheadMs = now - (sent + clock.now()) / 2;
    const planned_ms = seconds * 1_000;
    const startsAt = await link.until(() => link.pulse?.starts_at ?? undefined, () => {
      link.send({ kind: "ping", from: id, sent: clock.now() });
      link.send({ kind: "ready", from: id, planned_ms, ends_ms: planned_ms });
    }) - aheadMs;
    link.on.ack = ({ seq }) => outbox.acknowledge(seq);
    for (let second = 1; second <= seconds; second++) {
      await new Promise<void>((resolve) => clock.at(startsAt + second * 1_000, resolve));
      link.send({ kind: "beat", from: id });
      outbox.repeat();
      outbox.push(at(deltas[Math.floor(Math.random() * deltas.length)], second));
    }
    let confirmed = false;
    link.on.ack = ({ seq, done }) => {
      outbox.acknowledge(seq);
      confirmed ||= done;
    };
    const done = {
      kind: "done" as const,
      from: id,
      seq: outbox.seq,
      started_at: startsAt + aheadMs!,
    };
    await link.until(() => confirmed || refused !== undefined || undefined, () => {
      outbox.repeat();
      link.send({ ...done, duration_ms: planned_ms, ending: "finished", failure: null });
    });
    const lateMs = clock.now() - startsAt - planned_ms;
    await bus.close();
    clock.close();
    return lateMs;
  };
}

function at(delta: DeltaCounts, second: number): DeltaCounts {
  const seconds = delta.seconds!.map((point) => ({ ...point, at: second }));
  return { ...delta, second, elapsed_ms: second * 1_000, seconds };
}
