import type { Plan } from "./schema/plan.ts";
import { listRequests } from "./steps.ts";

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

/** Returns the decoded passwords in the URLs of a plan, each alone and as `user:password`. */
export function urlPasswords({ defaults, scenarios }: Plan): string[] {
  const flows = Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  const urls = [defaults?.http?.base_url ?? "", ...flows.map(({ url }) => url)];
  return urls.flatMap((url) => {
    const { username = "", password = "" } = URL.parse(url) ?? {};
    const [user, secret] = [username, password].map(percentDecoded);
    if (secret === "" || secret.includes("${")) return [];
    return [secret, `${user}:${secret}`];
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
