import type { Application } from "./application.ts";
import type { Page } from "./browser.ts";
import { freePort, runTool, startService } from "./service.ts";

const USER = "Ada";
const PASSWORD = "a-word-for-rehearsals";
const TOPIC = "A topic of the rehearsal";
const SETUP = new URL("setup_mediawiki.sh", import.meta.url).pathname;

/** Pages and forms, with tokens in hidden fields and in script text: log in, search, edit, watch, log out. */
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
    return { origin, standing: () => standing(origin), stop: service.stop };
  },
  async journey(page, origin) {
    await page.goto(`${origin}/index.php?title=Main_Page`);
    await logIn(page);
    await page.fill("#searchInput", "rehearsal");
    await page.press("#searchInput", "Enter");
    await page.waitForSelector(".searchresults");
    await page.waitForLoadState("networkidle");
    await edit(page, `${origin}/index.php?title=Sandbox&action=edit`, "written in a rehearsal");
    await page.click("#ca-watch a");
    await page.waitForSelector("#ca-unwatch a");
    await edit(page, `${origin}/index.php?title=Talk:Sandbox&action=edit&section=new`, TOPIC);
    await page.click("#pt-logout a");
    await page.waitForSelector("#pt-login a, #pt-login-2 a");
    await page.waitForLoadState("networkidle");
  },
};

async function logIn(page: Page): Promise<void> {
  await page.click("#pt-login a, #pt-login-2 a");
  await page.fill("#wpName1", USER);
  await page.fill("#wpPassword1", PASSWORD);
  await page.click("#wpLoginAttempt");
  await page.waitForSelector("#pt-logout");
  await page.waitForLoadState("networkidle");
}

async function edit(page: Page, url: string, summary: string): Promise<void> {
  await page.goto(url);
  await page.waitForLoadState("networkidle");
  await page.fill("#wpTextbox1", "Tea at {{subst:CURRENTTIMESTAMP}}, says ~~~~");
  await page.fill("#wpSummary", summary);
  await page.click("#wpSave");
  await page.waitForSelector("#ca-history a");
  await page.waitForLoadState("networkidle");
}

/** The wiki's own word on what was written. */
async function standing(origin: string): Promise<Record<string, number>> {
  const { query } = await api(origin, {
    action: "query",
    titles: "Sandbox",
    prop: "revisions",
    rvlimit: "max",
    rvprop: "timestamp",
  });
  const { parse } = await api(origin, { action: "parse", page: "Talk:Sandbox", prop: "sections" });
  return {
    "revisions of the page": query?.pages[0].revisions?.length ?? 0,
    "topics on its talk page": parse?.sections.filter(({ line }) => line === TOPIC).length ?? 0,
  };
}

interface ApiAnswer {
  readonly query?: { readonly pages: readonly { readonly revisions?: readonly unknown[] }[] };
  readonly parse?: { readonly sections: readonly { readonly line: string }[] };
}

async function api(origin: string, parameters: Record<string, string>): Promise<ApiAnswer> {
  const query = new URLSearchParams({ format: "json", formatversion: "2", ...parameters });
  return await (await fetch(`${origin}/api.php?${query}`)).json();
}
