/**
 * Matches the scheme and the user information of an absolute URL. The user information ends at the
 * last `@` before the path.
 */
const USER_INFO = /(\bhttps?:\/\/)([^/?#\s]*)@/gi;

/** Removes the user information (`user:password@`) from all URLs in `text`. */
export function withoutUserInfo(text: string): string {
  return text.replace(USER_INFO, "$1");
}

/**
 * Replaces each character of every URL password in `text` with `*`. The length of the text does not
 * change, so column numbers remain correct.
 */
export function hidePasswords(text: string): string {
  return text.replace(USER_INFO, (_, scheme: string, user: string) => {
    const colon = user.indexOf(":");
    if (colon < 0) return `${scheme}${user}@`;
    return `${scheme}${user.slice(0, colon + 1)}${"*".repeat(user.length - colon - 1)}@`;
  });
}
