import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const CODE = "/usr/share/shaarli";
/** Path of the data folder in Shaarli's code. `start` replaces it in a copy of the code. */
const DATA = "/var/lib/shaarli/data";
/** Path of the cache folder in Shaarli's code. `start` replaces it in a copy of the code. */
const CACHE = "/var/cache/shaarli";
const NOTE = "Tea at half past five";

/**
 * PHP router that serves existing files, and passes requests for all other paths to the
 * application.
 */
const ROUTER = `<?php
$path = getenv('CODE') . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_file($path) && !str_ends_with($path, '.php')) return false;
$_SERVER['SCRIPT_NAME'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = getenv('CODE') . '/index.php';
chdir(getenv('CODE'));
require 'index.php';
`;

/**
 * Server-rendered pages with one-time tokens in forms and links, and ids that are small numbers.
 */
export const shaarli: Application = {
  name: "shaarli",
  title: "Shaarli 0.12: bookmarks, one-time tokens in forms and links, small ids, PHP",
  steps: "log in, add a bookmark, add a note, change the note, pin it, search for it, " +
    "delete the bookmark, log out",
  install: () => installPackages(["shaarli", "php-cli"]),
  async start({ data, port, origin }) {
    const code = `${data}/code`;
    await runTool("cp", ["-r", CODE, code]);
    for (const folder of ["data", "cache", "cache/tmp", "cache/cache", "cache/pagecache"]) {
      Deno.mkdirSync(`${data}/${folder}`);
    }
    const paths = [[CODE, code], [DATA, `${data}/data`], [CACHE, `${data}/cache`]];
    const edits = paths.flatMap(([from, to]) => ["-e", `s#${from}#${to}#g`]);
    const files = await runTool("grep", ["-rlE", "/(share|lib|cache)/shaarli", code]);
    await runTool("sed", ["-i", ...edits, ...files.trim().split("\n")]);
    Deno.writeTextFileSync(`${data}/router.php`, ROUTER);
    const options = ["-d", "display_errors=0", "-d", `session.save_path=${data}`];
    const address = ["-S", `127.0.0.1:${port}`, "-t", code, `${data}/router.php`];
    const env = { CODE: code, PHP_CLI_SERVER_WORKERS: "4" };
    const server = ["php", ...options, ...address];
    const { stop } = await startService(server, { cwd: data, env, port });
    await setUp(origin);
    return { counts: () => countNotes(origin), stop };
  },
  adds: { notes: 1, "deleted bookmarks": 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/login`);
    await page.fill("#login-form input[name=login]", `${USER}1`);
    await page.fill("#login-form input[name=password]", PASSWORD);
    await page.click("#login-form input[type=submit]");
    await page.waitForSelector(".linklist-item");
    await page.waitForLoadState("networkidle");
    await addLink(page, origin);
    await addNote(page, origin);
    await page.click(item("Darjeeling", "a[href*='/admin/shaare/delete']"));
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/admin/logout`);
    await page.waitForLoadState("networkidle");
  },
};

/**
 * Returns a selector for the first visible element that matches `selector` in the bookmark that
 * contains `text`.
 */
function item(text: string, selector: string): string {
  return `.linklist-item:has-text('${text}') ${selector} >> visible=true >> nth=0`;
}

async function addLink(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/admin/add-shaare`);
  await page.fill("#shaare", "http://tea.test/darjeeling");
  await page.press("#shaare", "Enter");
  await page.fill("#lf_title", "Darjeeling of the first harvest");
  await page.fill("#lf_tags", "tea");
  await save(page);
}

async function addNote(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/admin/add-shaare`);
  await page.press("#shaare", "Enter");
  await page.fill("#lf_title", "Tea at five");
  await page.fill("#lf_description", "Bring the **blue** cups.");
  await page.fill("#lf_tags", "tea cups");
  await save(page);
  await page.click(item("Tea at five", "a[href*='/admin/shaare/']"));
  await page.fill("#lf_title", NOTE);
  await save(page);
  await page.click(item(NOTE, "a[href*='/pin']"));
  await page.waitForLoadState("networkidle");
  await page.goto(`${origin}/?searchterm=half`);
  await page.waitForLoadState("networkidle");
  await page.click(`.linklist-item-title a:has-text('${NOTE}')`);
  await page.waitForLoadState("networkidle");
  await page.goto(`${origin}/?searchtags=tea`);
  await page.waitForLoadState("networkidle");
}

async function save(page: Page): Promise<void> {
  await page.click("input[name=save_edit]");
  await page.waitForURL(/\/(\?.*)?(#.*)?$/);
  await page.waitForLoadState("networkidle");
}

/** Completes the installation, which creates the user account. */
async function setUp(origin: string): Promise<void> {
  const form = {
    setlogin: `${USER}1`,
    setpassword: PASSWORD,
    continent: "Europe",
    city: "Berlin",
    title: "Teas",
    language: "en",
  };
  const first = await fetch(`${origin}/install/session-test`, { redirect: "manual" });
  await first.body?.cancel();
  const cookie = first.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  const body = new URLSearchParams(form);
  const options = { method: "POST", headers: { cookie }, body, redirect: "manual" } as const;
  const response = await fetch(`${origin}/install`, options);
  await response.body?.cancel();
  if (response.headers.get("location") !== "/login") {
    throw new Error(`the installation failed with status ${response.status}`);
  }
}

/**
 * Counts the added notes, and the deleted bookmarks that are still there, in the feed of public
 * bookmarks.
 */
async function countNotes(origin: string): Promise<Record<string, number>> {
  const response = await fetch(`${origin}/feed/rss?nb=all&searchtags=tea`);
  const titles = [...(await response.text()).matchAll(/<item>\s*<title>([^<]*)/g)];
  const count = (text: string) => titles.filter(([, title]) => title.includes(text)).length;
  return { notes: count(NOTE), "deleted bookmarks": count("Darjeeling") };
}
