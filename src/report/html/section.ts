import { html, type Markup } from "./markup.ts";

/** A section under its heading; nothing without content. */
export function htmlSection(
  title: string,
  content: Markup | undefined,
  note?: string,
): Markup | undefined {
  if (content === undefined) return undefined;
  const said = note === undefined ? undefined : html`<p class="note">${note}</p>`;
  return html`<section><h2>${title}</h2>${said}${content}</section>`;
}
