/** Matches names of tokens. */
const TOKEN_NAME = /token|csrf|xsrf|nonce|session|jwt|authorization|api-?key|ticket|viewstate/i;
/**
 * Matches text that may be a token: 8 to 8,192 characters without spaces, including a digit or
 * letters in both cases.
 */
const TOKEN = /^(?=.*\d|.*[a-z].*[A-Z]|.*[A-Z].*[a-z].*[A-Z])[\w+/=.~:|%-]{8,8192}$/;
const SCHEME = /^[A-Za-z][\w-]* +(?=\S+$)/;

/**
 * Returns the token in `text`, which a request sends at `place`. Relies on the name of the place,
 * and thus also finds tokens that do not look random. Returns undefined if `place` or `text` cannot
 * belong to a token.
 */
export function namedToken(place: string, text: string): string | undefined {
  if (!TOKEN_NAME.test(place)) return undefined;
  const token = text.replace(SCHEME, "");
  return TOKEN.test(token) ? token : undefined;
}
