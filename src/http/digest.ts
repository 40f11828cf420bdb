import { createHash, randomBytes } from "node:crypto";
import type { HttpResponse, Outgoing } from "./sender.ts";

/** A VU's login on a server. Later requests can reuse the server's last challenge (RFC 7616). */
export interface DigestLogin {
  readonly credentials: string;
  readonly challenge: ReadonlyMap<string, string>;
  readonly cnonce: string;
  count: number;
}

/** Last login of a VU at each server, keyed by the server's URL. */
export type DigestLogins = Map<string, DigestLogin>;

/** Returns the request with credentials for the last challenge of the server, if there was one. */
export function authorizeDigest(request: Outgoing, logins: DigestLogins): Outgoing {
  const login = logins.get(serverUrl(request));
  if (login === undefined || request.credentials !== login.credentials) return request;
  if (authorization(request) !== undefined) return request;
  return withCredentials(request, login, "reused") ?? request;
}

/**
 * Returns the request, as it was sent, with Digest credentials (RFC 7616) if `response` asks for
 * them with status 401. Undefined if no algorithm is supported, the plan sets `Authorization`, or
 * the server has rejected the credentials. Keeps the login in `logins`, or removes a rejected one.
 */
export function answerDigest(
  request: Outgoing,
  response: HttpResponse,
  logins: DigestLogins,
): Outgoing | undefined {
  const { credentials, digest } = request;
  if (credentials === undefined) return undefined;
  const server = serverUrl(request);
  const sent = digest === undefined ? undefined : authorization(request);
  if (response.status !== 401) return undefined;
  if (digest === undefined && authorization(request) !== undefined) return undefined;
  logins.delete(server);
  if (digest === "new") return undefined;
  const plain = sent === undefined ? request : withoutAuthorization(request);
  for (const [name, value] of response.headers) {
    if (name !== "www-authenticate") continue;
    for (const challenge of parseChallenges(value)) {
      if (sent !== undefined && isRejection(challenge, parseChallenges(sent)[0])) return undefined;
      const cnonce = randomBytes(16).toString("hex");
      const login: DigestLogin = { credentials, challenge, cnonce, count: 0 };
      const answer = withCredentials(plain, login, "new");
      if (answer === undefined) continue;
      logins.set(server, login);
      return answer;
    }
  }
  return undefined;
}

/** A challenge repeats the nonce of rejected credentials. Any other may mean that it expired. */
function isRejection(
  challenge: ReadonlyMap<string, string>,
  sent: ReadonlyMap<string, string>,
): boolean {
  return challenge.get("stale")?.toLowerCase() !== "true" &&
    challenge.get("nonce") === sent.get("nonce") && challenge.get("realm") === sent.get("realm");
}

/** Returns the request with credentials, or undefined if the challenge is not supported. */
function withCredentials(
  request: Outgoing,
  login: DigestLogin,
  digest: Outgoing["digest"],
): Outgoing | undefined {
  const { method, target: uri, headers } = request;
  const use = { method, uri, cnonce: login.cnonce, count: login.count + 1 };
  const value = digestAuthorization(login.challenge, login.credentials, use);
  if (value === undefined) return undefined;
  login.count++;
  return {
    ...request,
    headers: [...headers, ["Authorization", value]],
    digest,
    encoded: undefined,
  };
}

function withoutAuthorization(request: Outgoing): Outgoing {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== "authorization");
  return { ...request, headers };
}

function authorization({ headers }: Outgoing): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === "authorization")?.[1];
}

function serverUrl({ origin }: Outgoing): string {
  return `http${origin.secure ? "s" : ""}://${origin.authority}`;
}

const HASHES: Readonly<Record<string, string>> = {
  "MD5": "md5",
  "SHA-256": "sha256",
  "SHA-512-256": "sha512-256",
};

/** Values from which Digest credentials are computed, in addition to the challenge. */
export interface DigestUse {
  readonly method: string;
  readonly uri: string;
  readonly cnonce: string;
  /** Sequence number, from 1, of the requests that use the nonce. */
  readonly count: number;
}

/** Returns the Authorization header for a challenge, or undefined if it is not supported. */
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

/** Parses a WWW-Authenticate header. Returns the parameters of each Digest challenge by name. */
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
