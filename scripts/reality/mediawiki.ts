import type { Application } from "./application.ts";
import type { Page } from "./browser.ts";
import { freePort } from "../local_port.ts";
import { runTool, startService } from "./service.ts";

const USER = "Ada";
const PASSWORD = "a-word-for-rehearsals";
const TOPIC = "A topic of the rehearsal";
const SETUP = new URL("setup_mediawiki.sh", import.meta.url).pathname;

/** Pages and forms with tokens in hidden fields and scripts: log in, search, edit, watch, log out. */
export const mediawiki: Application = {
  name: "mediawiki",
  async start(folder) {
    const port = freePort();
    const origin = `http://127.0.0.1:${port}`;
    await runTool(SETUP, [folder, origin, USER, PASSWORD]);
    const server = ["php", "-S", `127.0.0.1:${port}`, "-t", "/usr/share/mediawiki"];
    const env = {
      MW_CONFIG_FILE: `${folder}/LocalSettings.php`,
      PHP_CLI_SERVER_WORKERS: "4",
    };
    const service = await startService(server, { cwd: folder, env, port });
    return { origin, counts: () => standing(origin), stop: service.stop };
  },
  perUser: [`wpName: ${USER}1`, `wpName: ${USER}\${vu}`],
  async session(page, origin) {
    await page.goto(`${origin}/index.php?title=Main_Page`);
    await logIn(page);
    await page.fill("#searchInput", "rehearsal");
    await page.press("#searchInput", "Enter");
    await page.waitForSelector(".searchresults");
    await page.waitForLoadState("networkidle");
    await addTopic(page, `${origin}/index.php?title=Talk:Sandbox&action=edit&section=new`);
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

async function addTopic(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForLoadState("networkidle");
  await page.fill("#wpTextbox1", "Tea at five, says ~~~~");
  await page.fill("#wpSummary", TOPIC);
  await page.click("#wpSave");
  await page.waitForSelector("#ca-history a");
  await page.waitForLoadState("networkidle");
}

/** Returns the number of created items, according to the wiki's API. */
async function standing(origin: string): Promise<Record<string, number>> {
  const { parse } = await api(origin, { action: "parse", page: "Talk:Sandbox", prop: "sections" });
  return {
    "topics on the talk page": parse.sections.filter(({ line }) => line === TOPIC).length,
  };
}

interface ApiAnswer {
  readonly parse: { readonly sections: readonly { readonly line: string }[] };
}

async function api(origin: string, parameters: Record<string, string>): Promise<ApiAnswer> {
  const query = new URLSearchParams({ format: "json", formatversion: "2", ...parameters });
  return await (await fetch(`${origin}/api.php?${query}`)).json();
}
