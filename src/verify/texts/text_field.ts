/**
 * Kinds of fields for text that a user types. A server is most likely to require unique text in the
 * first kind.
 */
export const TEXT_FIELDS = ["name", "description", "phrase"] as const;

/**
 * Kind of text that a user types into a field: the `name` of an object (such as its title), its
 * `description`, or any other text (`phrase`).
 */
export type TextField = typeof TEXT_FIELDS[number];

/** Matches names of fields whose last word, such as `title`, suggests text that names an object. */
const NAME =
  /(?:^|[_\W])(?:(?:user|nick|group|file|display|first|last|full|short|given|family)?names?|titles?|slugs?|permalink|subject|headline|nick|handle|alias|e?mail|e_mail|login|labels?|summary|identifier|sku|key|phone|path|file)$/;
/** Matches names of fields whose last word, such as `comment`, suggests a description. */
const DESCRIPTION =
  /(?:^|[_\W])(?:comments?|messages?|notes?|text|body|content|description|descr|caption|topic|reason)$/;
/**
 * Matches names of fields for searches, settings, operations, credentials and protection against
 * forged requests.
 */
const OTHER =
  /pass|pwd|token|secret|csrf|xsrf|nonce|captcha|^_method$|viewstate|utf8|^(?:q|s|(?:operation|event)(?:_name)?|type|action|method|command|cmd|op)$|query|search|keyword|filter|sql|statement|expression|useragent|user_agent|locale|language|timezone|content_?type|media_?type|mime_?type/;
const WORDS = /\p{L}[\p{L}\p{M}.,;:!?)'"’-]*\s+[('"’]*\p{L}/u;
const LETTER = /\p{L}/u;
/** Matches constants such as `ROOT_ID`, and versions such as `v2`. */
const CONSTANT = /^(?:[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|v\d[\d.]*)$/;
const SWITCH = /^(?:true|false|null|none|undefined|on|off|yes|no|asc|desc)$/i;

/** Reports whether `text` is a setting such as `on` or `desc`, not something that a user typed. */
export function isSwitch(text: string): boolean {
  return SWITCH.test(text);
}

/** Reports whether `text` contains a letter and is neither a setting nor a constant. */
export function isText(text: string): boolean {
  return LETTER.test(text) && !isSwitch(text) && !CONSTANT.test(text);
}

/**
 * Returns the kind of a field whose text the user may have typed. `name` is the name of the field.
 * Returns undefined for text without letters, switches such as `on`, constants such as `ROOT_ID`,
 * searches, settings, names of operations and credentials. Also returns undefined for a single word,
 * unless `name` suggests a name or a description.
 */
export function textField(name: string, text: string): TextField | undefined {
  if (!isText(text)) return undefined;
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase()
    .replace(/\[\d*\]|[^\p{L}\p{N}]+$/gu, "");
  if (OTHER.test(words)) return undefined;
  if (NAME.test(words)) return "name";
  if (DESCRIPTION.test(words)) return "description";
  return WORDS.test(text) ? "phrase" : undefined;
}
