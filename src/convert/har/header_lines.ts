import { HAR_NOTE_KINDS, type HarNoteCode } from "../notes/har_codes.ts";
import type { HarNote } from "../notes/note.ts";
import { formatThousands, plural } from "../../base/format.ts";

/** Returns the comment lines at the top of the plan: origin, purpose, and one line per kind of note. */
export function headerLines(requests: number, notes: readonly HarNote[]): string[] {
  const counts = new Map<HarNoteCode, number>();
  for (const { code } of notes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [
    `Created by rehearse convert from a HAR of ${plural(requests, "request")}.`,
    "It replays the recorded session once, with one user. When the session passes, give the scenario",
    "a realistic load.",
    "",
    "Approximations, and what to do before you put load on a server (run convert again for details):",
    ...[...counts].map(([code, count]) =>
      `- ${code}${count > 1 ? ` (${formatThousands(count)})` : ""}: ${HAR_NOTE_KINDS[code].header}`
    ),
    "- checks, thresholds: define when a run passes",
  ];
}
