const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\p{ASCII}]+/gu;

/** The words of a field's name in lower case, split at camelCase and at everything that is not a letter or digit. */
export function nameWords(name: string): string[] {
  return (name.match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** What a field's name says of its values. */
export interface NameHint {
  /** Its values are dynamic, but for plain words. */
  readonly dynamic: boolean;
  /** Its values are dynamic even where they are plain words: `csrfToken` and `order_id`, not `token_type`. */
  readonly surely: boolean;
  /** `key` and `code`: dynamic when the value looks made by a machine. */
  readonly maybe: boolean;
  /** It names something by its id, so even a short number counts. */
  readonly idLike: boolean;
}

const WITHIN = /token|csrf|xsrf|session|nonce|jwt|cursor|uuid/;
const TOKEN = /token|nonce|jwt/;
const WORDS = new Set(["sid", "guid"]);
const LAST = new Set(["id", "ids", "state", "hash", "signature", "ticket", "secret"]);
const LAST_MAYBE = new Set(["key", "code"]);
const ID = new Set(["id", "ids", "uuid", "uuids", "guid", "guids"]);

/** `userid` and `revid`, but not the words that end so too. */
const COMPOUND_ID =
  /^[a-z]{3,}(?<!(?:pa|vo|val|sol|flu|liqu|gr|hybr|rig|rap|cand|hum|pyram|viv|andro))ids?$/;

const known = new Map<string, NameHint>();

/** Judges a field's name; the judgements are kept, as recordings repeat their names. */
export function nameHint(name: string): NameHint {
  let hint = known.get(name);
  if (hint === undefined) {
    hint = judge(name);
    if (known.size < 100_000) known.set(name, hint);
  }
  return hint;
}

function judge(name: string): NameHint {
  const words = nameWords(name);
  const last = words.at(-1) ?? "";
  const isCompound = COMPOUND_ID.test(last);
  return {
    surely: TOKEN.test(last) || /_id$/i.test(name) ||
      (ID.has(last) && words.some((word) => WITHIN.test(word))),
    dynamic: LAST.has(last) || isCompound ||
      words.some((word) => WORDS.has(word) || WITHIN.test(word)),
    maybe: LAST_MAYBE.has(last),
    idLike: ID.has(last) || isCompound,
  };
}
