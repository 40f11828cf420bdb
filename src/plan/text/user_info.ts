import { isMap } from "../../base/exact_number.ts";

/**
 * Ends at the last `@` before the path. Without the scheme, because searching for one takes
 * quadratic time.
 */
const USER_INFO = /(?<=:\/\/)([^/?#\s]*)@/g;
/**
 * Matches a password that contains an unescaped `/`, `?` or `#`: text after a colon that is not a
 * port.
 */
const INVALID_PASSWORD = /(?<=:\/\/[^/?#\s:[@]{0,200}:)(?!\d*[/?#]|\$)[^\s"'@]{1,200}(?=@)/g;
/** The scheme of a message bus, for which a user name without a password is an access token. */
const BUS = /(?:nats|tls):\/\/$/i;

/** Removes the user information (`user:password@`) from all URLs in `text`. */
export function withoutUserInfo(text: string): string {
  return text.replace(USER_INFO, "");
}

/**
 * Replaces passwords, and the token of a message bus (`nats://token@host`), with as many `*`, so
 * that columns remain correct.
 */
export function hidePasswords(text: string): string {
  if (!text.includes("@")) return text;
  return text.replace(USER_INFO, (_, user: string, at: number) => {
    const isToken = !user.includes(":") && BUS.test(text.slice(Math.max(0, at - 7), at));
    const start = isToken ? 0 : user.includes(":") ? user.indexOf(":") + 1 : user.length;
    return `${user.slice(0, start)}${"*".repeat(user.length - start)}@`;
  }).replace(INVALID_PASSWORD, (password) => "*".repeat(password.length));
}

/** Applies `hidePasswords` to all strings in a JSON value, and to the keys of its objects. */
export function hideAllPasswords<T>(value: T): T {
  return hideIn(value) as T;
}

function hideIn(value: unknown): unknown {
  if (typeof value === "string") return hidePasswords(value);
  if (Array.isArray(value)) return value.map(hideIn);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [hidePasswords(key), hideIn(member)]),
  );
}

/**
 * For a string that should have been a URL: keeps the scheme, and removes the rest before the last
 * `@`, also without a scheme.
 */
export function withoutLogin(text: string): string {
  return text.replace(/^((?:[a-z][a-z0-9+.-]*:\/\/)?).*@/is, "$1");
}

/** Returns the user name and the password of each URL in `text` that has a password. */
export function urlLogins(text: string): [user: string, password: string][] {
  return [...text.matchAll(USER_INFO)].flatMap(([, login]) => {
    const colon = login.indexOf(":");
    if (colon < 0 || colon === login.length - 1) return [];
    return [[login.slice(0, colon), login.slice(colon + 1)]];
  });
}
