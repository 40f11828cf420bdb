import { Buffer } from "node:buffer";
import { join } from "@std/path";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const CODE = "/usr/share/dokuwiki";
/** Name of the uploaded file. */
const MENU = "menu.txt";

const SETTINGS = `<?php
$conf['title'] = 'Rehearsals';
$conf['savedir'] = getenv('DATA') . '/data';
$conf['useacl'] = 1;
$conf['superuser'] = '@admin';
$conf['authtype'] = 'authplain';
`;
const PRELOAD = `<?php
define('DOKU_CONF', getenv('DATA') . '/conf/');
`;

/** Server-rendered pages with CSRF tokens, and an upload by a script. */
export const dokuwiki: Application = {
  name: "dokuwiki",
  title: "DokuWiki 2022-07-31: pages and forms with CSRF tokens, upload of a file, PHP",
  steps: "log in, edit a page with a preview, look at the changes, upload a file, log out",
  user: `${USER}1`,
  install: () => installPackages(["dokuwiki", "php-cli", "php-xml"]),
  async start({ data, port }) {
    await runTool("cp", ["-rL", "/etc/dokuwiki", `${data}/conf`]);
    await runTool("cp", ["-r", "/var/lib/dokuwiki/data", `${data}/data`]);
    const hash = await runTool("php", [
      "-r",
      `echo password_hash("${PASSWORD}", PASSWORD_BCRYPT);`,
    ]);
    const accounts = [1, 2].map((number) =>
      `${USER}${number}:${hash}:Ada ${number}:${USER}${number}@example.test:user,admin\n`
    );
    Deno.writeTextFileSync(`${data}/conf/local.php`, SETTINGS);
    Deno.writeTextFileSync(`${data}/conf/users.auth.php`, accounts.join(""));
    Deno.writeTextFileSync(`${data}/conf/acl.auth.php`, "*\t@ALL\t1\n*\t@user\t16\n");
    Deno.writeTextFileSync(`${data}/conf/mime.local.conf`, "txt text/plain\n");
    Deno.writeTextFileSync(`${data}/preload.php`, PRELOAD);
    for (const number of [1, 2]) {
      const folder = `${data}/data/pages/${USER}${number}`;
      Deno.mkdirSync(folder);
      Deno.writeTextFileSync(`${folder}/tea.txt`, "====== Tea ======\n\nTea is served at five.\n");
    }
    const options = ["-d", `auto_prepend_file=${data}/preload.php`, "-S", `127.0.0.1:${port}`];
    const env = { DATA: data, PHP_CLI_SERVER_WORKERS: "4" };
    const server = ["php", ...options, "-t", CODE];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => Promise.resolve(countFiles(data)), stop };
  },
  adds: { uploads: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/doku.php?id=start&do=login`);
    await page.fill("input[name=u]", `${USER}1`);
    await page.fill("input[name=p]", PASSWORD);
    await page.press("input[name=p]", "Enter");
    await page.waitForSelector("a[href*='do=logout']");
    await page.waitForLoadState("networkidle");
    await editPage(page, origin);
    await upload(page, origin);
    await page.click("a[href*='do=logout']");
    await page.waitForSelector("a[href*='do=login']");
    await page.waitForLoadState("networkidle");
  },
};

async function editPage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/doku.php?id=${USER}1:tea`);
  await page.click("a[href*='do=edit']");
  await page.fill("#wiki__text", "====== Tea ======\n\nTea is served at half past five.\n");
  await page.fill("#edit__summary", "Later");
  await page.click("#edbtn__preview");
  await page.waitForSelector("#preview, .preview");
  await page.click("#edbtn__save");
  await page.waitForSelector("a[href*='do=revisions']");
  await page.click("a[href*='do=revisions']");
  await page.waitForSelector("#page__revisions");
  await page.waitForLoadState("networkidle");
}

async function upload(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/doku.php?id=${USER}1:tea&do=media&ns=${USER}1`);
  await page.click("a[href*='tab_files=upload']");
  const file = { name: MENU, mimeType: "text/plain", buffer: Buffer.from("Darjeeling\nAssam\n") };
  await page.setInputFiles("input[type=file]", [file]);
  await page.check("label:has-text('Overwrite') input, input[name=ow]");
  await page.click("#mediamanager__upload_button");
  await page.waitForSelector(`a:has-text("${MENU}")`);
  await page.waitForLoadState("networkidle");
}

function countFiles(data: string): Record<string, number> {
  const list = (folder: string): string[] =>
    [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
      isDirectory ? list(join(folder, name)) : [join(folder, name)]
    );
  // An upload moves the file that it overwrites to the attic.
  const files = ["media", "media_attic"].flatMap((folder) => list(`${data}/data/${folder}`));
  return { uploads: files.filter((path) => /menu.*txt$/.test(path)).length };
}
