import { createHash } from "node:crypto";

/** Node's name for the hash function of each Digest algorithm. */
const HASHES: Readonly<Record<string, string>> = {
  "MD5": "md5",
  "SHA-256": "sha256",
  "SHA-512-256": "sha512-256",
};

/** Values from which Digest credentials are computed, in addition to the challenge. */
export interface DigestUse {
  readonly method: string;
  readonly uri: string;
  /** Random text that the client generates. */
  readonly cnonce: string;
  /**
   * Sequence number of the request, starting at 1. Counts only requests that use the nonce of the
   * challenge.
   */
  readonly count: number;
}

/**
 * Returns the value of the Authorization header for a challenge, or undefined if its algorithm or
 * quality of protection is not supported. `credentials` has the form `user:password`.
 */
export function digestAuthorization(
  challenge: ReadonlyMap<string, string>,
  credentials: string,
  { method, uri, cnonce, count: number }: DigestUse,
): string | undefined {
  const read = (key: string) => challenge.get(key) ?? "";
  const algorithm = challenge.get("algorithm") ?? "MD5";
  const hash = HASHES[algorithm.replace(/-sess$/i, "").toUpperCase()];
  const offered = read("qop").split(",").map((qop) => qop.trim());
  if (hash === undefined || !(offered.includes("auth") || read("qop") === "")) return undefined;
  const digest = (text: string) => createHash(hash).update(text).digest("hex");
  const [, user, password] = /^([^:]*):(.*)$/s.exec(credentials)!;
  const [realm, nonce] = [read("realm"), read("nonce")];
  const base = digest(`${user}:${realm}:${password}`);
  const secret = /-sess$/i.test(algorithm) ? digest(`${base}:${nonce}:${cnonce}`) : base;
  const subject = digest(`${method}:${uri}`);
  const count = number.toString(16).padStart(8, "0");
  const hasQop = read("qop") !== "";
  const response = hasQop
    ? digest(`${secret}:${nonce}:${count}:${cnonce}:auth:${subject}`)
    : digest(`${secret}:${nonce}:${subject}`);
  return "Digest " + [
    `username=${quote(user)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `response="${response}"`,
    ...(challenge.has("algorithm") ? [`algorithm=${algorithm}`] : []),
    ...(hasQop ? ["qop=auth", `nc=${count}`, `cnonce="${cnonce}"`] : []),
    ...(challenge.has("opaque") ? [`opaque=${quote(read("opaque"))}`] : []),
  ].join(", ");
}

/**
 * Parses a WWW-Authenticate header. Returns the parameters of each Digest challenge, keyed by name.
 */
export function parseChallenges(header: string): ReadonlyMap<string, string>[] {
  const challenges: Map<string, string>[] = [];
  let isDigest = false;
  // A scheme, or a parameter with a token or a quoted string as its value.
  const part = /([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;
  for (const [, name, quoted, token] of header.matchAll(part)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token;
    if (value === undefined) {
      isDigest = name.toLowerCase() === "digest";
      if (isDigest) challenges.push(new Map());
    } else if (isDigest) challenges.at(-1)!.set(name.toLowerCase(), value);
  }
  return challenges;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
