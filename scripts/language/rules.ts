/** A word or phrase that the project's style avoids. */
export interface LanguageRule {
  /** Pattern of the phrase in prose from which code spans have been removed. */
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

/**
 * The words that CONTRIBUTING.md ("Language") rules out, because it requires one word for one
 * thing, and standard terms instead of paraphrases.
 */
export const LANGUAGE_RULES: readonly LanguageRule[] = [
  rule(String.raw`anew`, "again, fresh"),
  rule(String.raw`told|tells`, "reported, printed, listed"),
  rule(String.raw`beside`, "next to, in addition to"),
  rule(String.raw`behind`, "after"),
  rule(String.raw`stand-?ins?`, "mock server"),
  rule(String.raw`stands|standing|stood`, "is, appears, occurs"),
  rule(String.raw`of (its|their|his|her|your|our) own`, "its own X, a separate X"),
  rule(String.raw`so many`, "this many, N"),
  rule(String.raw`likewise`, "also, in the same way"),
  rule(String.raw`for want of`, "because there is no"),
  rule(String.raw`as it is|as they are`, "unchanged"),
  rule(String.raw`(?<!there )(is|are) none`, "there is no"),
  rule(String.raw`(?<!there )is no (?!longer|more|different)`, "is not a"),
  rule(String.raw`comes? of`, "results from"),
  rule(String.raw`such as it was`, "unchanged"),
  rule(String.raw`in hand`, "given, available"),
  rule(String.raw`at hand`, "available"),
  rule(String.raw`looks? closely`, "inspects"),
  rule(String.raw`look(s|ed|ing) at`, "inspects, reads"),
  rule(String.raw`made least`, "minimised"),
  rule(String.raw`cures?`, "fix"),
  rule(String.raw`answer(s|ed|ing)?`, "response, responds"),
  rule(String.raw`repl(y|ies|ied)`, "response, responds"),
  rule(String.raw`play(s|ed|ing|er|ers)?`, "run (a plan), replay (a recording)"),
  rule(String.raw`figures?`, "metric, value, number"),
  rule(String.raw`held|(do|does|did) not hold`, "passed, failed, kept"),
  rule(String.raw`asked for`, "requested, scheduled"),
  rule(String.raw`left out`, "omitted, excluded"),
  rule(String.raw`as usual`, "regular"),
  rule(String.raw`moments?`, "timestamp (in data), time (on a clock)"),
  rule(String.raw`journeys?`, "session (recorded calls), visit (in a log)"),
  rule(String.raw`whatever`, "any, regardless of"),
  rule(String.raw`all the same`, "anyway, still"),
  rule(String.raw`be it`, "whether"),
  rule(String.raw`none that`, "no X that"),
  rule(String.raw`the ones`, "repeat the noun"),
  rule(String.raw`fulfil(l|ls|s|led|ling)?`, "meet, satisfy"),
  rule(String.raw`(server|client)-made`, "server-generated, client-generated"),
  rule(String.raw`says? (so|what|why|which)`, "reports, states, shows"),
  rule(String.raw`each other's way`, "interfere"),
  rule(String.raw`travels? over`, "is sent over"),
  rule(String.raw`written again`, "rewritten"),
  rule(String.raw`nothing stale`, "no stale value"),
  rule(String.raw`runtime half`, "runtime implementation"),
  rule(String.raw`lies? (in|inside|within|between)`, "is in, is between"),
  rule(String.raw`hence|thereby|therein|thereof|whereby|wherein|namely`, "so, in it, that is"),
];

function rule(phrase: string, instead: string): LanguageRule {
  return { pattern: new RegExp(`\\b(?:${phrase})\\b`, "gi"), instead };
}

/** A phrase in which an avoided word is allowed, because it has another sense there. */
interface LanguageException {
  /** Pattern of the phrase, including the avoided word. */
  readonly phrase: RegExp;
  /** Why the phrase is allowed. */
  readonly reason: string;
}

/** Phrases that the language check accepts, each with the reason. */
export const LANGUAGE_EXCEPTIONS: readonly LanguageException[] = [
  {
    phrase: /behind (a|the|an|your) ([\w-]+ )?(proxy|load balancer|balancer|CDN|NAT|firewall)/gi,
    reason: "the standard phrase for a position in a network",
  },
  { phrase: /<\/?figure[ >]/gi, reason: "the HTML element" },
  { phrase: /left outer/gi, reason: "part of a name" },
];
