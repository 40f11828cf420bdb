import { isbot } from "isbot";

/** Bots that `isbot` does not list. */
const MORE_BOTS = /^-?$|\bnessus\b|\bfortio\b/i;
/** Phones, and a plug-in of Internet Explorer, that `isbot` mistakes for bots. */
const NOT_BOTS = /cubot|chromeframe/gi;
/** Default agents of apps on phones: people use these. */
const APPS = /^(?:okhttp|Dart)\/[\d.]+(?: \(dart:io\))?$/;
/** Only this many characters of an agent are tested, because the patterns take quadratic time. */
const MAX_CHARACTERS = 1_024;

/**
 * Reports whether a user agent is a bot: a crawler, link preview, health check, monitor, load tool,
 * scanner or HTTP library, or empty. Takes about 10 µs, so cache it per distinct agent.
 */
export function isBot(agent: string): boolean {
  const text = agent.slice(0, MAX_CHARACTERS);
  return MORE_BOTS.test(text) || (!APPS.test(text) && isbot(text.replace(NOT_BOTS, "")));
}
