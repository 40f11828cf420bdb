import type { Draft } from "../correlate/draft.ts";
import { nameWords } from "../correlate/names.ts";
import type { Slot } from "../correlate/slot.ts";

/** A credential that stands as a literal in the requests. */
export interface Secret {
  /** The name for `secrets:` and of the environment variable, such as `AUTHORIZATION`. */
  readonly name: string;
  /** The field that holds it, as recorded. */
  readonly field: string;
  readonly places: readonly SecretPlace[];
}

/** Where it stands; offsets in the slot's recorded text. */
export interface SecretPlace {
  readonly draft: Draft;
  readonly slot: Slot;
  readonly start: number;
  readonly end: number;
}

const NAME =
  /(?:^|_)(?:authorization|pass(?:word|wd|phrase|code)?|passwort|pwd|pin|otp|secret|api_?key|(?:access|auth|bearer|refresh|id|security)_?token|private_key|credentials?)(?:_|$)/;
const SHAPE =
  /^(?:eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{35}|[sr]k_(?:live|test)_\w{10,}|gh[pousr]_\w{30,}|github_pat_\w{30,}|glpat-[\w-]{20}|xox[abprs]-[\w-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*)$/;
/** Switches and counts in fields that are about credentials. */
const NOT_SECRET = /^(?:|\d|[yn]|on|no|true|false|null)$/i;

/** The literal credentials that correlation left in the drafts: by the field's name, or by their shape. */
export function findSecrets(drafts: readonly Draft[]): Secret[] {
  const byValue = new Map<string, { name: string; field: string; places: SecretPlace[] }>();
  const taken = new Set<string>();
  for (const draft of drafts) {
    for (const slot of draft.slots) {
      const range = slot.spans.length === 0 ? secretRange(slot) : undefined;
      if (range === undefined) continue;
      const value = slot.value.slice(...range);
      const [start, end] = slot.recordedRange(...range);
      const known = byValue.get(value) ??
        { name: secretName(slot, taken), field: slot.name, places: [] };
      known.places.push({ draft, slot, start, end });
      byValue.set(value, known);
    }
  }
  return [...byValue.values()];
}

/** Puts `${secrets.NAME}` where the literals stand. */
export function moveSecrets(secrets: readonly Secret[]): void {
  for (const { name, places } of secrets) {
    for (const { slot, start, end } of places) {
      slot.spans.push({ start, end, expression: { kind: "secrets", name } });
    }
  }
}

function secretRange(slot: Slot): readonly [start: number, end: number] | undefined {
  if (slot.numeric || slot.kind === "text") return undefined;
  const range = slot.wholes().at(-1)!;
  if (NOT_SECRET.test(slot.value.slice(...range))) return undefined;
  const named = NAME.test(nameWords(slot.name).join("_"));
  return named || SHAPE.test(slot.value.slice(...range)) ? range : undefined;
}

function secretName(slot: Slot, taken: Set<string>): string {
  const words = nameWords(slot.name).join("_").toUpperCase().replace(/[^A-Z0-9_]/g, "_");
  const base = /^[A-Z]/.test(words) ? words : `SECRET${words && "_" + words}`;
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  taken.add(name);
  return name;
}
