import { isbot } from "isbot";

/** Matches bots that `isbot` does not list, and empty user agents. */
const MORE_BOTS = /^-?$|\bnessus\b|\bfortio\b/i;
/**
 * Matches two names that `isbot` mistakes for bots: a phone brand and an Internet Explorer plug-in.
 */
const NOT_BOTS = /cubot|chromeframe/gi;
/**
 * Matches the default user agents of phone apps. `isbot` lists them as bots, because they are the
 * names of HTTP libraries.
 */
const APPS = /^(?:okhttp|Dart)\/[\d.]+(?: \(dart:io\))?$/;
/**
 * Maximum number of characters to test in a user agent. The rest is ignored, because the matching
 * time grows with the square of the length.
 */
const MAX_CHARACTERS = 1_024;

/**
 * Reports whether a user agent belongs to a bot: a crawler, link preview, health check, monitor,
 * load tool, scanner or HTTP library. An empty user agent counts as a bot. `agent` may be encoded
 * as in the logs of CloudFront, which encodes some characters twice, Akamai or IIS. A call takes
 * about 10 µs, so cache the result for each user agent.
 */
export function isBot(agent: string): boolean {
  const decoded = agent.slice(0, MAX_CHARACTERS).replaceAll("%25", "%")
    .replace(/%[2-7][0-9A-F]/gi, decodeURIComponent);
  const text = decoded.includes(" ") ? decoded : decoded.replaceAll("+", " ");
  return MORE_BOTS.test(text) || (!APPS.test(text) && isbot(text.replace(NOT_BOTS, "")));
}
