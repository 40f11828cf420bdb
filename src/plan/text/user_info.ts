/**
 * Matches the scheme of an absolute URL and its user information: everything between `//` and the last
 * `@` before the path.
 */
const USER_INFO = /(\bhttps?:\/\/)([^/?#\s]*)@/gi;

/** Removes the user information from URLs in `text`. */
export function withoutUserInfo(text: string): string {
  return text.replace(USER_INFO, "$1");
}

/** Masks the passwords of URLs in `text`. The text keeps its length, so that columns stay correct. */
export function hidePasswords(text: string): string {
  return text.replace(USER_INFO, (_, scheme: string, user: string) => {
    const colon = user.indexOf(":");
    if (colon < 0) return `${scheme}${user}@`;
    return `${scheme}${user.slice(0, colon + 1)}${"*".repeat(user.length - colon - 1)}@`;
  });
}

/** Decodes the percent-encoding of `text`; returns text with an invalid encoding unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
