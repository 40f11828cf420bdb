import { Buffer } from "node:buffer";
import type { Application, Place } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService, until } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
/** Creates a site with two users in an empty object database. */
const SITE = `
import transaction
from AccessControl.SecurityManagement import newSecurityManager
from Products.CMFPlone.factory import addPloneSite
from Testing.makerequest import makerequest

app = makerequest(app)
newSecurityManager(None, app.acl_users.getUserById("admin").__of__(app.acl_users))
site = addPloneSite(app, "site", title="Tea house", distribution_name="classic",
                    setup_content=False, default_language="en", portal_timezone="UTC")
for number in (1, 2):
    site.acl_users.userFolderAddUser(f"${USER}{number}", "${PASSWORD}", ["Manager"], [])
transaction.commit()
`;

/**
 * A content management system on an object database. The server derives paths from titles, and
 * forms and links contain tokens.
 */
export const plone: Application = {
  name: "plone",
  title: "Plone 6.2: content management, tokens in links, paths from titles, file upload, Zope",
  steps: "log in, add a page, change it, publish it, add a folder, upload a file into it, rename " +
    "the folder, search, add a second page and delete it, log out",
  user: `${USER}1`,
  async install(folder) {
    // The newest layout is a prerelease that needs an unpublished version of another package.
    await installFromPyPi(folder, ["Plone==6.2.2", "plone.app.layout==6.0.2"]);
    const instance = `${folder}/instance`;
    const tool = (name: string, ...args: string[]) => runTool(`${folder}/venv/bin/${name}`, args);
    await tool("mkwsgiinstance", "-d", instance, "-u", `admin:${PASSWORD}`);
    Deno.writeTextFileSync(`${folder}/site.py`, SITE);
    await tool("zconsole", "run", `${instance}/etc/zope.conf`, `${folder}/site.py`);
  },
  async start({ installed, data, port, origin }) {
    await runTool("cp", ["-r", `${installed}/instance`, `${data}/instance`]);
    for (const name of ["zope.conf", "zope.ini"]) {
      const path = `${data}/instance/etc/${name}`;
      const text = Deno.readTextFileSync(path).replaceAll(`${installed}/`, `${data}/`)
        .replace(/^port = .*$/m, `port = ${port}`)
        .replace(/^ *path .*Data\.fs$/m, `$&\n     blob-dir ${data}/blobs`);
      Deno.writeTextFileSync(path, text);
    }
    const server = [`${installed}/venv/bin/runwsgi`, `${data}/instance/etc/zope.ini`];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    await until(async () => (await fetch(`${origin}/site`)).ok);
    return { counts: () => countItems(origin), stop };
  },
  adds: { "published pages": 1, "renamed folders": 1, files: 1 },
  async session(page, place) {
    const { origin } = place;
    await page.goto(`${origin}/site/login`);
    await page.fill("#__ac_name", `${USER}1`);
    await page.fill("#__ac_password", PASSWORD);
    await page.click("#buttons-login");
    await page.waitForSelector("#edit-zone");
    await page.waitForLoadState("networkidle");
    await addPage(page, place, "Green teas");
    await page.click("#contentview-edit a");
    await page.fill(TITLE, "Green and white teas");
    await save(page);
    await page.click("#plone-contentmenu-workflow > a");
    await page.click("#workflow-transition-publish");
    await page.waitForSelector(".state-published");
    await page.waitForLoadState("networkidle");
    await addFolderWithFile(page, place);
    await page.goto(`${origin}/site`);
    await page.fill("#searchGadget", "white");
    await page.press("#searchGadget", "Enter");
    await page.waitForSelector("#search-results");
    await page.waitForLoadState("networkidle");
    await addPage(page, place, "Coffee");
    await page.goto(`${page.url().replace(/\/view$/, "")}/delete_confirmation`);
    await page.click("#form-buttons-Delete");
    await page.waitForSelector("text=has been deleted");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/site/logout`);
    await page.waitForLoadState("networkidle");
  },
};

const TITLE = "[name='form.widgets.IDublinCore.title']";

async function addPage(page: Page, { origin }: Place, title: string): Promise<void> {
  await page.goto(`${origin}/site/++add++Document`);
  await page.fill(TITLE, title);
  await save(page);
}

async function addFolderWithFile(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/site/++add++Folder`);
  await page.fill(TITLE, "Lists");
  await save(page);
  const folder = page.url().replace(/\/view$/, "");
  await page.goto(`${folder}/++add++File`);
  await page.setInputFiles("#form-widgets-file-input", [{
    name: "teas.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("Sencha\nSilver needle\n"),
  }]);
  await save(page);
  await page.goto(`${folder}/object_rename`);
  await page.fill("[name='form.widgets.new_title']", "Lists of teas");
  await page.click("#form-buttons-Rename");
  await page.waitForSelector("h1:has-text('Lists of teas')");
  await page.waitForLoadState("networkidle");
}

async function save(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.click("#form-buttons-save");
  await page.waitForSelector("#contentview-edit");
  await page.waitForLoadState("networkidle");
}

/** Counts the items of the sessions according to the application's API. */
async function countItems(origin: string): Promise<Record<string, number>> {
  const count = async (query: string) => {
    const response = await fetch(`${origin}/site/@search?b_size=0&${query}`, {
      headers: { accept: "application/json", authorization: `Basic ${btoa(`admin:${PASSWORD}`)}` },
    });
    return (await response.json() as { items_total: number }).items_total;
  };
  return {
    "published pages": await count("portal_type=Document&review_state=published&Title=white"),
    "renamed folders": await count("portal_type=Folder&Title=teas"),
    files: await count("portal_type=File"),
  };
}
