/** A phrase in which an avoided word is allowed, because it has another sense there. */
export interface LanguageException {
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
