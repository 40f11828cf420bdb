/**
 * Time before a deadline at which the alarm rings, in milliseconds. `Atomics.wait` wakes the alarm
 * thread 50 to 100 µs late. The thread that uses the alarm takes about as long to wake up, or
 * longer on a virtual machine, and then polls until the deadline.
 */
export const LEAD_MS = 0.2;

/**
 * Memory shared by the alarm thread and the thread that uses the alarm:
 *
 * ```
 * byte  0          4          8                    16
 *       | requests | rings    | deadline           |
 *       | int32    | int32    | float64            |
 * ```
 *
 * - `requests`: the thread that uses the alarm adds 1 after it writes `deadline`, then notifies the
 *   alarm thread.
 * - `rings`: the alarm thread adds 1 when `deadline` is reached, then notifies the other thread.
 * - `deadline`: Unix milliseconds (`threadTime`), or NaN to end the alarm thread.
 */
export class AlarmMemory {
  readonly buffer: SharedArrayBuffer;
  readonly requests: Int32Array<SharedArrayBuffer>;
  readonly rings: Int32Array<SharedArrayBuffer>;
  readonly #deadline: Float64Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.requests = new Int32Array(buffer, 0, 1);
    this.rings = new Int32Array(buffer, 4, 1);
    this.#deadline = new Float64Array(buffer, 8, 1);
  }

  get deadline(): number {
    return this.#deadline[0];
  }

  /** Sets the deadline. Does not wake the alarm thread, so call `wakeAlarm` afterward. */
  setDeadline(time: number): void {
    this.#deadline[0] = time;
    Atomics.add(this.requests, 0, 1);
  }

  wakeAlarm(): void {
    Atomics.notify(this.requests, 0);
  }

  ring(): void {
    Atomics.add(this.rings, 0, 1);
    this.wakeUser();
  }

  wakeUser(): void {
    Atomics.notify(this.rings, 0);
  }
}
