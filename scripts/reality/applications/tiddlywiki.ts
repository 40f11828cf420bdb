import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromNpm } from "../packages.ts";
import { runTool, startService } from "../service.ts";

/** A single-page wiki that stores each note under its title, with a revision. */
export const tiddlyWiki: Application = {
  name: "tiddlywiki",
  title: "TiddlyWiki 5.4: single-page wiki, notes by title in paths, revisions in ETags, Node",
  steps: "add a note, change it, add a second note, delete it",
  install: (folder) => installFromNpm(folder, ["tiddlywiki@5.4.1"]),
  async start({ installed, data, port, origin }) {
    const program = `${installed}/node_modules/tiddlywiki/tiddlywiki.js`;
    await runTool("node", [program, `${data}/wiki`, "--init", "server"]);
    const options = [`port=${port}`, "host=127.0.0.1", "anon-username=ada"];
    const server = ["node", program, `${data}/wiki`, "--listen", ...options];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    return { counts: () => countNotes(origin), stop };
  },
  adds: { notes: 1 },
  overwrites: ["notes"],
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.waitForSelector("button[aria-label='new tiddler']");
    await page.waitForLoadState("networkidle");
    await write(page, "Green tea", "Steep it for three minutes.");
    await page.click("[data-tiddler-title='Green tea'] button[title^='Edit this tiddler']");
    await fillText(page, "Steep it for two minutes.");
    await save(page);
    await write(page, "Black tea", "Steep it for five minutes.");
    await page.click("[data-tiddler-title='Black tea'] button[title^='Edit this tiddler']");
    await page.click("button[title^='Delete this tiddler']");
    await page.waitForTimeout(2_500);
  },
};

async function write(page: Page, title: string, text: string): Promise<void> {
  await page.click("button[aria-label='new tiddler']");
  await page.fill(".tc-titlebar.tc-edit-texteditor", title);
  await fillText(page, text);
  await save(page);
}

async function fillText(page: Page, text: string): Promise<void> {
  await page.fill(
    "iframe.tc-edit-texteditor-body >> internal:control=enter-frame >> textarea",
    text,
  );
}

/** Finishes editing a note, and waits until the page has sent it to the server. */
async function save(page: Page): Promise<void> {
  await page.waitForTimeout(300);
  await page.press(".tc-titlebar.tc-edit-texteditor", "Control+Enter");
  await page.waitForTimeout(2_500);
}

/**
 * Returns the number of notes whose titles start with `Green tea` or `Black tea`, under the key
 * `notes`.
 */
async function countNotes(origin: string): Promise<Record<string, number>> {
  const response = await fetch(`${origin}/recipes/default/tiddlers.json`);
  const notes: { title: string }[] = await response.json();
  return { notes: notes.filter(({ title }) => /^(?:Green|Black) tea/.test(title)).length };
}
