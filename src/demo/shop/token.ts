/** Creates a random token of 32 hex digits. */
export function hexToken(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** Creates a random six-digit id. */
export function numericId(): number {
  return 100_000 + crypto.getRandomValues(new Uint32Array(1))[0] % 900_000;
}

/**
 * Creates a bearer token in the format of a JWT. The server looks up the whole token instead of
 * verifying its signature.
 */
export function bearerToken(subject: string): string {
  const encode = (part: unknown) =>
    new TextEncoder().encode(JSON.stringify(part))
      .toBase64({ alphabet: "base64url", omitPadding: true });
  const header = { alg: "HS256", typ: "JWT" };
  return `${encode(header)}.${encode({ sub: subject, jti: crypto.randomUUID() })}.${hexToken()}`;
}
