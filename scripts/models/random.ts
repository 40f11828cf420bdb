/**
 * Generates values that look as if a server generated them. The same seed always gives the same
 * values.
 */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = [...seed].reduce((hash, c) => Math.imul(hash ^ c.charCodeAt(0), 0x01000193), 17);
  }

  /** Returns a pseudorandom integer from 0 to `limit` - 1 (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }

  of(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join("");
  }

  /** Returns `length` hex digits, with at least one letter and one digit. */
  hex(length: number): string {
    return "c" + this.of("0123456789abcdef", length - 2) + "7";
  }

  digits(length: number): string {
    return this.of("123456789", 1) + this.of("0123456789", length - 1);
  }

  uuid(): string {
    const [a, b, c, d, e] = [8, 3, 3, 3, 12].map((length) => this.of("0123456789abcdef", length));
    return `${a}-${b}4-4${c}-a${d}-${e}`;
  }

  /** Returns a string of `length` letters and digits that looks like a session key. */
  token(length: number): string {
    const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
    return this.of(alphabet, length - 2) + "k4";
  }

  jwt(claims: Record<string, unknown>): string {
    const part = (value: unknown) =>
      new TextEncoder().encode(JSON.stringify(value))
        .toBase64({ alphabet: "base64url", omitPadding: true });
    return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.${this.token(43)}`;
  }
}
