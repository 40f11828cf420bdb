import { createHash } from "node:crypto";
import type { FakeResponse, Sent } from "./fake_sender.ts";

/** Options of a `DigestServer`. */
export interface DigestServerOptions {
  readonly password?: string;
  readonly algorithm?: "MD5" | "MD5-sess";
  /** Number of requests that a nonce is valid for (default: no limit). */
  readonly uses?: number;
  /**
   * Whether the challenge after an expired nonce states that the nonce is stale (default: true).
   */
  readonly tellsStale?: boolean;
}

/** Server that accepts Digest credentials of the user `joe`, as RFC 7616 requires. */
export class DigestServer {
  readonly #options: DigestServerOptions;
  readonly #valid = new Map<string, { count: number; cnonce?: string }>();
  #made = 0;

  constructor(options: DigestServerOptions = {}) {
    this.#options = options;
  }

  /**
   * Checks the credentials of a request. Responds with 400 if their URI or nonce count is wrong.
   */
  respond = ({ method, target, headers }: Sent): FakeResponse => {
    const given = headers.authorization;
    if (given === undefined) return this.#challenge(false);
    const read = (key: string) => new RegExp(`\\b${key}="?([^",]*)`).exec(given)?.[1] ?? "";
    const nonce = read("nonce");
    const state = this.#valid.get(nonce);
    if (state === undefined) return this.#challenge(true);
    const { uses = Infinity, password = "secret", algorithm = "MD5" } = this.#options;
    const count = parseInt(read("nc"), 16);
    if (read("uri") !== target || count !== state.count + 1) return { status: 400 };
    state.count = count;
    state.cnonce ??= read("cnonce");
    if (count > uses) {
      this.#valid.delete(nonce);
      return this.#challenge(true);
    }
    const md5 = (text: string) => createHash("md5").update(text).digest("hex");
    const user = md5(`joe:realm:${password}`);
    const secret = algorithm === "MD5" ? user : md5(`${user}:${nonce}:${state.cnonce}`);
    const rest = `${nonce}:${read("nc")}:${read("cnonce")}:auth:${md5(`${method}:${target}`)}`;
    if (md5(`${secret}:${rest}`) !== read("response")) return this.#challenge(false);
    return { status: 200 };
  };

  #newNonce(): string {
    const nonce = `n${++this.#made}`;
    this.#valid.set(nonce, { count: 0 });
    return nonce;
  }

  #challenge(isExpired: boolean): FakeResponse {
    const { algorithm = "MD5", tellsStale = true } = this.#options;
    const stale = isExpired && tellsStale ? ", stale=TRUE" : "";
    const challenge = `Digest realm="realm", nonce="${this.#newNonce()}", qop="auth", ` +
      `algorithm=${algorithm}${stale}`;
    return { status: 401, headers: [["www-authenticate", challenge]] };
  }
}
