import { assertEquals } from "@std/assert";
import { LockStep } from "../../src/calibrate/round_users.ts";

async function sendAll(lock: LockStep, user: number, count: number, log: string[]): Promise<void> {
  for (let i = 1; i <= count; i++) {
    await lock.take(user);
    log.push(`${user}.${i}`);
    await Promise.resolve();
    await lock.take(user); // A repeated request keeps the turn.
    lock.release(user);
  }
}

Deno.test("LockStep makes users take turns after each request", async () => {
  const lock = new LockStep([1, 2]);
  const log: string[] = [];
  await Promise.all([sendAll(lock, 1, 3, log), sendAll(lock, 2, 3, log)]);
  assertEquals(log, ["1.1", "2.1", "1.2", "2.2", "1.3", "2.3"]);
});

Deno.test("LockStep does not wait for a user who has ended", async () => {
  const lock = new LockStep([1, 2]);
  const log: string[] = [];
  await Promise.all([sendAll(lock, 1, 3, log), sendAll(lock, 2, 1, log)]);
  assertEquals(log, ["1.1", "2.1", "1.2", "1.3"]);
});

Deno.test("LockStep keeps the first user one request ahead of the second user if users are staggered", async () => {
  const lock = new LockStep([1, 2], 2);
  const log: string[] = [];
  await Promise.all([sendAll(lock, 1, 4, log), sendAll(lock, 2, 4, log)]);
  assertEquals(log, ["1.1", "1.2", "2.1", "1.3", "2.2", "1.4", "2.3", "2.4"]);
});

Deno.test("LockStep lets all users continue after the round is aborted", async () => {
  const lock = new LockStep([1, 2]);
  await lock.take(1);
  const waiting = lock.take(2);
  lock.open(); // User 1 never ends its turn.
  await waiting;
  await lock.take(2);
});
