/** A phrase that holds an avoided word in another sense. */
export interface LanguageException {
  /** The phrase, with the avoided word in it. */
  readonly phrase: RegExp;
  /** Why it may stay. */
  readonly reason: string;
}

/** Phrases that the lint accepts, each with its reason. */
export const LANGUAGE_EXCEPTIONS: readonly LanguageException[] = [
  {
    phrase: /behind (a|the|an|your) ([\w-]+ )?(proxy|load balancer|balancer|CDN|NAT|firewall)/gi,
    reason: "the standard phrase for a position in a network",
  },
  { phrase: /<\/?figure[ >]/gi, reason: "the HTML element" },
  { phrase: /left outer/gi, reason: "part of a name" },
];
