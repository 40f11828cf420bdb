import { html, type Markup } from "./markup.ts";

/** Creates a section with a heading and an optional note; undefined without content. */
export function htmlSection(
  title: string,
  content: Markup | undefined,
  note?: string,
): Markup | undefined {
  if (content === undefined) return undefined;
  const caption = note === undefined ? undefined : html`<p class="note">${note}</p>`;
  return html`<section><h2>${title}</h2>${caption}${content}</section>`;
}
