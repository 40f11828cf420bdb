/** A range of a string, in UTF-16 code units. `end` is exclusive. */
export type Range = readonly [start: number, end: number];

/** The range of a credential in a string, and the name of its field. */
export interface NamedRange {
  readonly name: string;
  readonly range: Range;
}

/**
 * Patterns for credentials that have an issuer-specific prefix or format. If a pattern has a named
 * group, the credential is only the text that this group matches. Length limits keep the time
 * linear for hostile text.
 */
const ISSUED = [
  "eyJ[\\w-]{1,2000}\\.eyJ[\\w-]+\\.[\\w-]*", // JWT
  "(?:AKIA|ASIA)[0-9A-Z]{16}", // AWS
  "AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}", // Google
  "[sr]k_(?:live|test)_\\w{10,}|whsec_\\w{20,}", // Stripe
  "gh[pousr]_\\w{30,}|github_pat_\\w{30,}|gl(?:pat|ptt|dt|rt|soat)-[\\w-]{20,}", // GitHub, GitLab
  "xox[abeoprs]-[\\w-]{10,}|xapp-\\d-[\\w-]{10,}", // Slack
  "npm_[A-Za-z0-9]{30,}|pypi-[\\w-]{20,}", // package registries
  "SG\\.[\\w-]{16,}\\.[\\w-]{16,}|key-[0-9a-f]{32}|[0-9a-f]{32}-us\\d{1,2}", // mail senders
  "sk-(?:proj|ant|or|svcacct)-[\\w-]{16,}|sk-[A-Za-z0-9]{32,}|hf_[A-Za-z0-9]{20,}", // AI services
  "do[opr]_v1_[0-9a-f]{32,}|dapi[0-9a-f]{32}|hvs\\.[\\w-]{20,}|dp\\.pt\\.\\w{30,}", // clouds
  "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp)-[\\w-]{20,}|lin_api_\\w{30,}|ntn_\\w{40,}",
  "glsa_\\w{30,}|sbp_[0-9a-f]{40}|ATATT3[\\w=-]{50,}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|NRAK-[A-Z0-9]{27}",
  "(?:bot)?(?<telegram>\\d{8,10}:[\\w-]{35})",
  "hooks\\.slack\\.com/services/\\w+/\\w+/(?<slack>\\w+)",
  "discord(?:app)?\\.com/api/webhooks/\\d+/(?<discord>[\\w-]+)",
  "[a-z][a-z0-9+.-]{0,30}://[^\\s/:@\"'<>]*:(?<userinfo>[^\\s/@\"'<>]+)(?=@)", // a URL with a password
].join("|");
const SHAPE = new RegExp(
  `(?<![A-Za-z0-9])(?:${ISSUED})(?![A-Za-z0-9])|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
  "g",
);
/**
 * Prefilter for `SHAPE`: may match other strings, but matches every string that contains a
 * credential with a known format. Most ids, numbers and words do not match.
 */
const MAY_MATCH = /[-_.:]|AKIA|ASIA|AIza|dapi|ATATT3/;
/**
 * Minimum length, in UTF-16 code units, of a string that can contain a credential with a known
 * format.
 */
const SHORTEST = 12;
/** Matches an AWS secret key: 40 base64 characters, including upper case, lower case and digits. */
const AWS_SECRET = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9/+]{40}$/;

/** Returns the ranges of `text` that look like a known kind of credential, in order. */
export function shapedSecrets(text: string): Range[] {
  if (text.length < SHORTEST || !MAY_MATCH.test(text)) return [];
  return [...text.matchAll(SHAPE)].map((match): Range => {
    const secret = Object.values(match.groups ?? {}).find((group) => group !== undefined) ??
      match[0];
    const start = match.index + match[0].lastIndexOf(secret);
    return [start, start + secret.length];
  });
}

/** Reports whether a value, as a whole, looks like an AWS secret access key. */
export function isAwsSecret(value: string): boolean {
  return value.length === 40 && AWS_SECRET.test(value);
}
