import { type Note, noteLevel } from "../../convert/notes/note.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import type { ExportOptions } from "../target/export_target.ts";
import { commentText } from "./js/literal.ts";

/** Maximum number of notes that the comment lists. */
const MAX_NOTES = 20;

/** Returns the comment at the start of a script: the plan, the version, and the differences. */
export function commentLines(
  { name, description }: Plan,
  notes: readonly Note[],
  { plan, version }: ExportOptions,
): string {
  const lines = [
    `k6 script of ${commentText(name ?? plan)}, exported from ${
      commentText(plan)
    } by rehearse ${version}.`,
    ...(description === undefined ? [] : [commentText(description)]),
  ];
  const groups = [...Map.groupBy(notes, ({ code, message }) => `${code} ${message}`).values()];
  if (groups.length > 0) lines.push("", "What k6 does differently from the plan:");
  for (const [note, ...others] of groups.slice(0, MAX_NOTES)) {
    const mark = noteLevel(note) === "warning" ? "warning: " : "";
    const subject = commentText(note.subject);
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    lines.push(commentText(`- ${mark}${subject}${more}: ${note.message} [${note.code}]`));
  }
  if (groups.length > MAX_NOTES) lines.push(`- ${groups.length - MAX_NOTES} more`);
  return lines.map((line) => `// ${hidePasswords(line)}`.trimEnd()).join("\n");
}
