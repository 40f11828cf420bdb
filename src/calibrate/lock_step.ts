/**
 * Maximum time, in milliseconds, to wait for a user who sends no request. The other users then
 * continue.
 */
const PATIENCE_MS = 1_000;

/**
 * Lets only one user at a time send a request, and keeps the number of requests equal: a user can
 * send the next request only after all others have sent theirs. Waits at most one second for users
 * who send no request, for example because they have finished. Users can also be staggered, so that
 * each is a fixed number of requests ahead of the next user.
 */
export class LockStep {
  readonly #done = new Map<number, number>();
  #waiting: { readonly user: number; readonly resolve: () => void }[] = [];
  #holder: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;

  /** Creates a lock for users with these numbers, each `lead` requests ahead of the next user. */
  constructor(users: readonly number[], lead = 0) {
    users.forEach((user, i) => this.#done.set(user, i * lead));
  }

  /** Waits for the turn of a user. Returns at once if it is already the user's turn. */
  take(user: number): Promise<void> {
    if (this.#isOpen || this.#holder === user) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ user, resolve });
      if (!this.#done.has(user)) this.#done.set(user, Math.max(0, ...this.#done.values()));
      this.#next();
    });
  }

  /**
   * Lets all users continue without waiting for their turns, now and in the future. Call this
   * method when the round is aborted.
   */
  open(): void {
    this.#isOpen = true;
    clearTimeout(this.#timer);
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  release(user: number): void {
    if (this.#holder !== user) return;
    this.#holder = undefined;
    this.#done.set(user, (this.#done.get(user) ?? 0) + 1);
    this.#next();
  }

  #next(): void {
    if (this.#holder !== undefined || this.#waiting.length === 0) return;
    clearTimeout(this.#timer);
    const count = (user: number) => this.#done.get(user) ?? 0;
    const first = this.#waiting.reduce((a, b) => count(b.user) < count(a.user) ? b : a);
    const absent = [...this.#done.keys()].filter((user) =>
      !this.#waiting.some((one) => one.user === user)
    );
    if (absent.every((user) => count(user) >= count(first.user))) return this.#grant(first.user);
    this.#timer = setTimeout(() => {
      for (const user of absent) this.#done.delete(user);
      this.#next();
    }, PATIENCE_MS);
  }

  #grant(user: number): void {
    this.#holder = user;
    const { resolve } = this.#waiting.find((one) => one.user === user)!;
    this.#waiting = this.#waiting.filter((one) => one.user !== user);
    resolve();
  }
}
