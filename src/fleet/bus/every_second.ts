import type { Cancel, Clock } from "../../engine/clock/clock.ts";

/** Interval between heartbeats, in ms. */
export const BEAT_MS = 1_000;

/**
 * Maximum time between messages from a process, in ms. After five missed heartbeats, the process
 * counts as lost.
 */
export const LOST_MS = 5.5 * BEAT_MS;

/** Calls `act` immediately, and then once per second. Returns a function that stops the calls. */
export function everySecond(clock: Clock, act: () => void): Cancel {
  let cancel: Cancel = () => {};
  const next = (time: number) => {
    cancel = clock.at(time, () => {
      next(Math.max(time + BEAT_MS, clock.now()));
      act();
    });
  };
  next(clock.now() + BEAT_MS);
  act();
  return () => cancel();
}
