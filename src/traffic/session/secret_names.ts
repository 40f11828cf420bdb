import { isOpaque, nameWords } from "./dynamic_value.ts";

/** Matches suffixes that do not change what a name means, as in `password_confirm`. */
const SUFFIX =
  "(?:_(?:confirm(?:ation|ed)?|again|repeat(?:ed)?|retype|verify|new|old|current|hash|value|" +
  "field|input|text|plain|code|header|base|json|\\d+))*$";

const PASSWORDS = "pass_?(?:word|wd|phrase|code)s?|pwd|pswd|passwort|kennwort|wachtwoord|passord|" +
  "motdepasse|mot_de_passe|mdp|contrasen[ay]a?|senha|parola|sifre|heslo|haslo|jelszo|salasana|" +
  "losenord|adgangskode|lozinka|пароль|密码|密碼|パスワード|비밀번호";
const SHORT_PASSWORDS = "(?:new|old|user|login)?pw";
const FOREIGN_PASSWORDS = "clave|mima";
const PASSWORD = new RegExp(
  `${PASSWORDS}|pass(?![a-z])|(?:^|_)(?:${SHORT_PASSWORDS}|${FOREIGN_PASSWORDS})(?:_|$)`,
  "u",
);

const ALWAYS = named(
  `authorization|pass|${PASSWORDS}|` +
    "pin|t?otp|mfa|ssn|social_security(?:_(?:number|no))?|secrets?|credentials?|mnemonic|psk|" +
    "(?:backup|recovery)_?codes?|(?:seed|recovery|secret)_?phrase|(?:security|secret)_?answer|" +
    "(?:api|access|account|subscription|functions|master|shared|secret|private|app|encryption|" +
    "signing|hmac|webhook|recovery|backup|storage|service)_?keys?|apikeys?|" +
    "(?:access|auth|authentication|bearer|refresh|id|security|vault|personal|private|bot|api|session|" +
    "login|sas|deploy|job|jwt|oauth|client|service)_?tokens?",
);
// Fields with these names also contain numbers, such as a width.
const isNoNumber = (value: string) => !/^\d+$/.test(value);
const isNoShortNumber = (value: string) => !/^\d{2}$/.test(value);
const hasDigits = (shortest: number, longest: number) => (value: string) =>
  /^\d+$/.test(value) && value.length >= shortest && value.length <= longest;

/** Names of credentials, and what their values look like. The first row for a name decides. */
const RULES: readonly (readonly [name: RegExp, isSecret: ((value: string) => boolean) | null])[] = [
  [
    /(?:^|_)(?:cvv|cvc|cvn|csc|card_?code|card_verification)(?:_?(?:2|code|value|number))*$/,
    hasDigits(3, 4),
  ],
  [/(?:^|_)(?:security|verification|two_factor|sms|one_time)_code$/, hasDigits(3, 8)],
  [
    /(?:^|_)(?:card_?(?:number|no|num)|cc_?num(?:ber)?|credit_?card)$/,
    (value) => /^\d(?:[ -]?\d){11,18}$/.test(value),
  ],
  [
    /(?:^|_)(?:number|pan)$/,
    (value) => /^[3-6]\d(?:[ -]?\d){11,17}$/.test(value) && passesLuhn(value),
  ],
  [ALWAYS, isNoShortNumber],
  [named(SHORT_PASSWORDS), isNoNumber],
  // Within a longer name, these words have other meanings.
  [new RegExp(`^(?:${FOREIGN_PASSWORDS})$`), isNoShortNumber],
  // Tokens that are not credentials, such as CSRF and pagination tokens.
  [
    /(?:^|_)(?:csrf\w*|xsrf\w*|page|pagination|next|previous|prev|continuation|cursor|sync|start|resume|scroll|authenticity|request_verification|type)(?:_|$)/,
    null,
  ],
  [/^key$/, isRandom],
  [/^(?:code|(?:auth|authorization|oauth|login)_code|saml_?response|assertion)$/, isOpaque],
  [
    /(?:^|_)(?:token|sig|signature|hmac|jwt|sid|session(?:_?id)?|[a-z]*sess(?:ion)?id)$/,
    isMachineMade,
  ],
];

/** Matches flags, single digits and empty values, which are never credentials. */
const SWITCH = /^(?:|\d|[yn]|on|off|no|yes|true|false|null|none|undefined)$/i;

/** Matches what names another value, as in `{"name": "password", "value": "…"}`. */
export const LABEL =
  /^(?:name|key|id|field|header|param|parameter|label|title|placeholder|property|attribute|type|k)$/i;

/** Longer text is not a name. In UTF-16 code units. */
const LONGEST_NAME = 500;

function named(names: string): RegExp {
  return new RegExp(`(?:^|_)(?:${names})${SUFFIX}`, "u");
}

/** Converts a name to words without diacritics: `contrasena` for `Contraseña`. */
export function plainName(name: string): string {
  const plain = name.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replaceAll("ł", "l")
    .replaceAll("ø", "o").replaceAll("ı", "i").normalize("NFC");
  return nameWords(plain).join("_");
}

const rules = new Map<string, ((value: string) => boolean) | null>();

/** Reports whether a value is a credential, by its name and, if this is ambiguous, its shape. */
export function isNamedSecret(name: string, value: string): boolean {
  return ruleFor(name)?.(value) === true && !SWITCH.test(value);
}

/** Reports whether the value of this field can be a credential. */
export function mayNameSecret(name: string): boolean {
  return ruleFor(name) !== null;
}

/** Reports whether a field contains a password, of a login for example. */
export function isPasswordName(name: string): boolean {
  return name.length <= LONGEST_NAME && PASSWORD.test(plainName(name));
}

const USER = /(?:^|_)(?:user|user_?name|user_?id|login|log|e_?mail|account|identifier|identity)$/;

/** Reports whether a field contains the name or the address of a user, of a login for example. */
export function isUserName(name: string): boolean {
  return name.length <= LONGEST_NAME && USER.test(plainName(name));
}

/** Matches names of users that are also names of areas of applications. */
export const ROLE = /^(?:admin|administrator|root|users?|guest|manager|editor|me|test|demo)$/i;

function ruleFor(name: string): ((value: string) => boolean) | null {
  if (name.length > LONGEST_NAME) return null;
  let rule = rules.get(name);
  if (rule === undefined) {
    const plain = plainName(name);
    rule = RULES.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
    if (rules.size < 100_000) rules.set(name, rule);
  }
  return rule;
}

function isMachineMade(value: string): boolean {
  return /^\S{8,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value) &&
    !/^\d{4}-\d{2}-\d{2}|^https?:/i.test(value);
}

function isRandom(value: string): boolean {
  return /^(?:(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w-]{20,}={0,2}|[0-9a-f]{24,})$/.test(value) &&
    !/^pk_(?:live|test)_/.test(value);
}

function passesLuhn(value: string): boolean {
  const digits = value.replace(/\D/g, "").split("").reverse().map(Number);
  const sum = digits.reduce((all, digit, i) => {
    const weighted = i % 2 === 0 ? digit : digit * 2;
    return all + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return sum % 10 === 0;
}

/** The range of a credential in a string, in UTF-16 code units, and the name of its field. */
export interface NamedRange {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Credentials with a prefix or format of their issuer: the whole match, or its named group. Length
 * limits keep the time linear for hostile text.
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
/** Prefilter: matches each string with such a credential, but not most ids and words. */
const MAY_MATCH = /[-_.:]|AKIA|ASIA|AIza|dapi|ATATT3/;
/** In UTF-16 code units. */
const SHORTEST_SECRET = 12;
/** Matches an AWS secret key. */
const AWS_SECRET = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9/+]{40}$/;

/** Returns the ranges of `text` that look like a known kind of credential, in order. */
export function shapedSecrets(text: string): NamedRange[] {
  if (text.length < SHORTEST_SECRET || !MAY_MATCH.test(text)) return [];
  return [...text.matchAll(SHAPE)].map((match) => {
    const secret = Object.values(match.groups ?? {}).find((group) => group !== undefined) ??
      match[0];
    const start = match.index + match[0].lastIndexOf(secret);
    return { name: "", start, end: start + secret.length };
  });
}

/** Reports whether a whole value looks like an AWS secret access key. */
export function isAwsSecret(value: string): boolean {
  return value.length === 40 && AWS_SECRET.test(value);
}

/** In a WebSocket protocol, the token is the next item of a list. */
const SCHEME =
  /\bauthorization["']?[ \t]*[:=,][ \t]*\[?["']?[a-z][\w-]*[ \t]+(?<value>[^\r\n"'\\<>]+)|\bbearer(?:[ \t]+|,[ \t]*|\.authorization\.k8s\.io\.)(?<token>[\w.~+/-]{10,}=*)|\bbasic[ \t]+(?<basic>[a-z0-9+/]{4,}={0,2})/dgi;

/** Finds the credentials after an authentication scheme, in order. */
export function schemeSecrets(text: string): NamedRange[] {
  return [...text.matchAll(SCHEME)].flatMap(({ groups = {}, indices }) => {
    const { token, basic } = groups;
    if (token !== undefined && !/\d/.test(token)) return [];
    if (basic !== undefined && !isUserAndPassword(basic)) return [];
    const { groups: ranges = {} } = indices!;
    const [start, end] = ranges.value ?? ranges.token ?? ranges.basic;
    return [{ name: "authorization", start, end }];
  });
}

function isUserAndPassword(base64: string): boolean {
  try {
    return atob(base64).includes(":");
  } catch {
    return false;
  }
}

/** Matches the headers of a part of a form. The second group is missing without content. */
const PART = /content-disposition:([^\r\n]*)((?:\r?\n[^\r\n]+){0,20}\r?\n\r?\n(?=[^\r\n]))?/gi;
const PART_NAME = /[; ]name=(?:"([^"]*)"|([^\s";]+))/i;
const PART_END = /\r?\n--|$/g;

/** Finds the credentials in the parts of multipart forms, in order. */
export function partSecrets(text: string): NamedRange[] {
  const found: NamedRange[] = [];
  let done = 0;
  for (const { 0: head, 1: header, 2: others, index } of text.matchAll(PART)) {
    const [, quoted, bare] = PART_NAME.exec(header) ?? [];
    const name = quoted ?? bare;
    if (index < done || others === undefined || name === undefined) continue;
    const start = index + head.length;
    PART_END.lastIndex = start;
    done = PART_END.exec(text)!.index;
    if (isNamedSecret(name, text.slice(start, done))) found.push({ name, start, end: done });
  }
  return found;
}
