import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

/** WebDAV: XML bodies, methods such as PROPFIND and MKCOL, and paths that the page generates. */
export const radicale: Application = {
  name: "radicale",
  title: "Radicale 3.5: calendars over WebDAV, XML bodies, UUIDs that the page makes, Python",
  steps: "log in, create a calendar, change its title, create an address book, delete it, reload",
  install: (folder) => installFromPyPi(folder, ["radicale==3.5.4"]),
  async start({ installed, data, port }) {
    const users = [1, 2].map((number) => `${USER}${number}:${PASSWORD}\n`).join("");
    Deno.writeTextFileSync(`${data}/users`, users);
    Deno.mkdirSync(`${data}/collections`);
    const server = [
      `${installed}/venv/bin/radicale`,
      "--config=",
      `--server-hosts=127.0.0.1:${port}`,
      "--auth-type=htpasswd",
      `--auth-htpasswd-filename=${data}/users`,
      "--auth-htpasswd-encryption=plain",
      "--auth-delay=0",
      `--storage-filesystem-folder=${data}/collections`,
    ];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    return { counts: () => Promise.resolve(countCollections(`${data}/collections`)), stop };
  },
  adds: { calendars: 1, "address books": 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/.web/`);
    await page.fill("#loginscene input[data-name=user]", `${USER}1`);
    await page.fill("#loginscene input[data-name=password]", PASSWORD);
    await page.press("#loginscene input[data-name=password]", "Enter");
    await page.waitForSelector("#collectionsscene:not(.hidden)");
    await page.waitForLoadState("networkidle");
    await add(page, "Calendar", "Tea at five");
    await page.click("h3:has-text('Tea at five')"); // Shows the buttons.
    await page.click("article:hover a[data-name=edit]");
    await page.fill("#editcollectionscene input[data-name=description]", "Every day");
    await page.click("#editcollectionscene button[data-name=submit]");
    await page.waitForSelector("text=Every day");
    await page.waitForLoadState("networkidle");
    await add(page, "Address book", "Guests");
    await page.click("h3:has-text('Guests')"); // Shows the buttons.
    await page.click("article:hover a[data-name=delete]");
    await page.fill("#deletecollectionscene input[data-name=confirmationtxt]", "DELETE");
    await page.click("#deletecollectionscene button[data-name=delete]");
    await page.waitForSelector("#collectionsscene:not(.hidden)");
    await page.click("a[data-name=refresh]");
    await page.waitForLoadState("networkidle");
  },
};

async function add(page: Page, type: string, title: string): Promise<void> {
  await page.click("#collectionsscene a[data-name=new]");
  const scene = "#createcollectionscene";
  await page.selectOption(`${scene} select[data-name=type]`, { label: type });
  await page.fill(`${scene} input[data-name=displayname]`, title);
  await page.click(`${scene} button[data-name=submit]`);
  await page.waitForSelector(`h3:has-text('${title}')`);
  await page.waitForLoadState("networkidle");
}

function countCollections(folder: string): Record<string, number> {
  const counts = { calendars: 0, "address books": 0 };
  for (const user of children(`${folder}/collection-root`)) {
    for (const collection of children(user)) {
      try {
        const { tag } = JSON.parse(Deno.readTextFileSync(`${collection}/.Radicale.props`));
        counts[tag === "VADDRESSBOOK" ? "address books" : "calendars"]++;
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
  }
  return counts;
}

function children(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter(({ name }) => !name.startsWith("."))
      .map(({ name }) => `${folder}/${name}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return [];
    }
    throw error;
  }
}
