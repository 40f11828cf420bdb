import type { Application, Place } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";

const USER = "Ada";
const PASSWORD = "a-word-for-rehearsals";
const TOPIC = "A topic of the rehearsal";
const TALK = "Talk:Sandbox";
const CODE = "/usr/share/mediawiki";
const PHP = ["php-cli", "php-sqlite3", "php-xml", "php-mbstring", "php-intl"];
// Makes watching a page a separate step.
const SETTINGS = `
$wgDefaultUserOptions['watchdefault'] = 0;
$wgDefaultUserOptions['watchcreations'] = 0;
`;

/** Pages and forms with tokens in hidden fields and scripts. */
export const mediawiki: Application = {
  name: "mediawiki",
  title: "MediaWiki 1.39 on SQLite: pages and forms with tokens, PHP",
  steps: "log in, search, add a topic to a page, watch the page, log out",
  user: `${USER}1`,
  install: () => installPackages(["mediawiki", ...PHP]),
  async start({ data, port, origin }) {
    await runTool("php", [
      `${CODE}/maintenance/install.php`,
      ...["--confpath", data, "--dbtype", "sqlite", "--dbpath", `${data}/data`],
      ...["--dbname", "wiki", "--server", origin, "--scriptpath", "", "--pass", PASSWORD],
      ...["Rehearsal", `${USER}Admin`],
    ]);
    Deno.writeTextFileSync(`${data}/LocalSettings.php`, SETTINGS, { append: true });
    const env = { MW_CONFIG_FILE: `${data}/LocalSettings.php`, PHP_CLI_SERVER_WORKERS: "4" };
    const maintain = (script: string, args: readonly string[], input?: string) =>
      runTool("php", [`${CODE}/maintenance/${script}.php`, ...args], { env, input });
    for (const user of [1, 2]) {
      await maintain("createAndPromote", [`${USER}${user}`, PASSWORD]);
    }
    await maintain("edit", [TALK], "Here people try things.\n");
    const server = ["php", "-S", `127.0.0.1:${port}`, "-t", CODE];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => countTopics(origin), stop };
  },
  adds: { topics: 1 },
  async session(page, place) {
    await page.goto(`${place.origin}/index.php?title=Main_Page`);
    await logIn(page);
    await page.fill("#searchInput", "rehearsal");
    await page.press("#searchInput", "Enter");
    await page.waitForSelector(".searchresults");
    await page.waitForLoadState("networkidle");
    await addTopic(page, place);
    await page.click("#ca-watch a");
    await page.waitForSelector("#ca-unwatch a");
    await page.click("#pt-logout a");
    await page.waitForSelector("#pt-login a, #pt-login-2 a");
    await page.waitForLoadState("networkidle");
  },
};

async function logIn(page: Page): Promise<void> {
  await page.click("#pt-login a, #pt-login-2 a");
  await page.fill("#wpName1", `${USER}1`);
  await page.fill("#wpPassword1", PASSWORD);
  await page.click("#wpLoginAttempt");
  await page.waitForSelector("#pt-logout");
  await page.waitForLoadState("networkidle");
}

async function addTopic(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/index.php?title=${TALK}&action=edit&section=new`);
  await page.waitForLoadState("networkidle");
  await page.fill("#wpTextbox1", "Tea at five, says ~~~~");
  await page.fill("#wpSummary", TOPIC);
  await page.click("#wpSave");
  await page.waitForSelector("#ca-history a");
  await page.waitForLoadState("networkidle");
}

/** Returns the number of created topics as `topics`, counted with the wiki's API. */
async function countTopics(origin: string): Promise<Record<string, number>> {
  const query = "format=json&formatversion=2&action=parse&prop=sections";
  const response = await fetch(`${origin}/api.php?${query}&page=${TALK}`);
  const { parse } = await response.json() as {
    parse: { sections: readonly { readonly line: string }[] };
  };
  return { topics: parse.sections.filter(({ line }) => line === TOPIC).length };
}
