/** Aspect in which a live response can differ from the recorded one. */
export type DifferenceKind =
  | "status"
  | "media-type"
  | "location"
  | "empty-body"
  | "content"
  | "title"
  | "form"
  | "form-field"
  | "json-key"
  | "json-value"
  | "json-outcome"
  | "element"
  | "command"
  | "emptied"
  | "refusal"
  | "message"
  | "condition";

/** One aspect in which a live response differs from the recorded one. May contain recorded text. */
export interface ResponseDifference {
  readonly kind: DifferenceKind;
  /** Name or path of the JSON member. Only for the kind `json-outcome`. */
  readonly name?: string;
  /**
   * The recorded aspect, such as `200`; of names, only those that the live response lacks. For
   * `condition`, the condition that the last of several requests met.
   */
  readonly recorded: string;
  /** The live aspect; of names, only new ones. For `condition`, the number of attempts. */
  readonly live: string;
}

const SUBJECTS = {
  "status": "status",
  "media-type": "media type",
  "location": "redirect target",
  "empty-body": "body",
  "content": "kind of content",
  "title": "page title",
  "form": "form actions",
  "form-field": "form fields",
  "json-key": "JSON members",
  "json-value": "JSON value",
  "element": "XML elements",
  "command": "commands",
  "emptied": "content of JSON members",
  "refusal": "text that refuses",
} satisfies Record<Exclude<DifferenceKind, "condition" | "json-outcome" | "message">, string>;

const NAMES: ReadonlySet<DifferenceKind> = new Set([
  "form",
  "form-field",
  "json-key",
  "element",
  "command",
]);

/** Describes a difference in one line, such as `status 302 instead of 200`. */
export function describeDifference({ kind, name, recorded, live }: ResponseDifference): string {
  if (kind === "condition") return `\`${recorded}\` still false after ${live}`;
  if (kind === "json-outcome") return `member \`${name}\` is ${live} instead of ${recorded}`;
  if (kind === "message") return `message about another object: ${live}`;
  const subject = SUBJECTS[kind];
  if (!NAMES.has(kind)) return `${subject} ${live || "(none)"} instead of ${recorded || "(none)"}`;
  const sides = [recorded && `only recorded: ${recorded}`, live && `only live: ${live}`];
  return `${subject}: ${sides.filter(Boolean).join("; ")}`;
}

const LISTED = 5;

export function difference(
  kind: DifferenceKind,
  recorded: string,
  live: string,
): ResponseDifference {
  return { kind, recorded, live };
}

/** Ignores new names, unless `isFault` says that one is a sign of a failure. */
export function nameDifference(
  kind: DifferenceKind,
  recorded: ReadonlySet<string>,
  live: ReadonlySet<string>,
  isFault: (name: string) => boolean = () => false,
): ResponseDifference[] {
  const missing = [...recorded].filter((name) => !live.has(name));
  const added = [...live].filter((name) => !recorded.has(name));
  if (missing.length === 0 && !added.some(isFault)) return [];
  return [difference(kind, listNames(missing), listNames(added))];
}

function listNames(names: readonly string[]): string {
  const more = names.length - LISTED;
  return names.slice(0, LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
