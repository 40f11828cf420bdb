/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { threadTime } from "../../base/start_thread.ts";
import { AlarmMemory, LEAD_MS } from "./alarm_memory.ts";

self.onmessage = ({ data }: MessageEvent<SharedArrayBuffer>) => {
  self.postMessage(threadTime());
  keepTime(new AlarmMemory(data));
};

function keepTime(memory: AlarmMemory): void {
  const { requests } = memory;
  for (let request = 0;;) {
    Atomics.wait(requests, 0, request);
    request = Atomics.load(requests, 0);
    if (Number.isNaN(memory.deadline)) return self.close();
    const time = memory.deadline - performance.timeOrigin;
    if (waitUntil(time, requests, request)) memory.ring();
  }
}

/**
 * Waits until shortly before `time` (`performance.now()` ms) and returns true. Returns false as
 * soon as `requests` no longer has the value `request`, because another deadline has then replaced
 * this one.
 */
function waitUntil(
  time: number,
  requests: Int32Array<SharedArrayBuffer>,
  request: number,
): boolean {
  for (let sleepMs; (sleepMs = time - LEAD_MS - performance.now()) > 0;) {
    Atomics.wait(requests, 0, request, sleepMs);
    // A wake-up does not imply a new deadline, because the notification for the current one may
    // arrive late.
    if (Atomics.load(requests, 0) !== request) return false;
  }
  return true;
}
