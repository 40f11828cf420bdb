import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { startService, until } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const SETTINGS = `
from jupyter_server.auth import passwd
c = get_config()
c.PasswordIdentityProvider.hashed_password = passwd("${PASSWORD}", "sha1")
c.ServerApp.allow_root = True
c.ServerApp.open_browser = False
c.ServerApp.terminals_enabled = False
`;

/** A notebook whose pages call a JSON API and run code over a WebSocket. */
export const nbclassic: Application = {
  name: "nbclassic",
  title: "nbclassic 1.3 with Jupyter Server 2: notebooks over a JSON API and a WebSocket",
  steps:
    "log in, open the user's folder, add a folder, add a notebook in it, run a cell, rename and " +
    "save the notebook, shut it down, log out",
  user: `${USER}1`,
  install: (folder) =>
    installFromPyPi(folder, ["nbclassic==1.3.3", "jupyter-server==2.21.1", "ipykernel==7.4.0"]),
  async start({ installed, data, port, origin }) {
    const notebooks = `${data}/notebooks`;
    for (const number of [1, 2]) {
      Deno.mkdirSync(`${notebooks}/${USER}${number}`, { recursive: true });
    }
    const settings = `${data}/settings.py`;
    Deno.writeTextFileSync(settings, SETTINGS);
    const env = {
      JUPYTER_CONFIG_DIR: `${data}/config`,
      JUPYTER_DATA_DIR: `${data}/share`,
      JUPYTER_RUNTIME_DIR: `${data}/runtime`,
      IPYTHONDIR: `${data}/ipython`,
    };
    const server = [
      `${installed}/venv/bin/jupyter-nbclassic`,
      `--config=${settings}`,
      `--ServerApp.root_dir=${notebooks}`,
      "--ip=127.0.0.1",
      `--port=${port}`,
      "--ServerApp.port_retries=0",
    ];
    const { stop } = await startService(server, { cwd: data, env, port });
    await until(async () => (await fetch(`${origin}/login`)).ok);
    return { counts: () => Promise.resolve(countNotebooks(notebooks)), stop };
  },
  adds: { folders: 1, notebooks: 1 },
  async session(page, place) {
    await page.goto(`${place.origin}/tree`);
    await page.fill("#password_input", PASSWORD);
    await page.click("#login_submit");
    await page.click(`#notebook_list a:has-text('${USER}1')`);
    await page.waitForURL(/tree\/ada1/);
    await page.waitForSelector("#notebook_list .item_link");
    await page.click("#new-buttons button");
    await page.click("#new-folder");
    await page.click("#notebook_list a:has-text('Untitled Folder')");
    await page.waitForURL(/Untitled/);
    await page.waitForLoadState("networkidle");
    await writeNotebook(page);
    await page.goto(`${place.origin}/tree/${USER}1`);
    await page.waitForLoadState("networkidle");
    await page.click("a[href='#running']");
    await page.click("#running_list button:has-text('Shutdown')");
    await page.waitForLoadState("networkidle");
    await page.click("#logout");
    await page.waitForLoadState("networkidle");
  },
};

async function writeNotebook(page: Page): Promise<void> {
  await page.click("#new-buttons button");
  const opened = page.waitForEvent("popup");
  await page.click("#kernel-python3 a");
  const notebook = await opened;
  await notebook.waitForSelector(".kernel_idle_icon");
  await notebook.click(".code_cell .CodeMirror");
  await notebook.keyboard.type("6 * 7");
  await notebook.press(".code_cell .CodeMirror textarea", "Control+Enter");
  await notebook.waitForSelector(".output_text");
  await notebook.click("#notebook_name");
  await notebook.fill(".modal-dialog input[type=text]", "Tea at five");
  const renamed = notebook.waitForResponse((response) =>
    response.request().method() === "PATCH" && response.url().includes("/api/sessions/")
  );
  await notebook.click(".modal-footer .btn-primary");
  await renamed;
  await notebook.waitForLoadState("networkidle");
  const saved = notebook.waitForResponse((response) =>
    response.request().method() === "POST" && response.url().endsWith("/checkpoints")
  );
  await notebook.click("#save-notbook button");
  await saved;
  await notebook.close();
}

function countNotebooks(folder: string): Record<string, number> {
  let folders = 0;
  let notebooks = 0;
  for (const number of [1, 2]) {
    for (const { name } of Deno.readDirSync(`${folder}/${USER}${number}`)) {
      folders++;
      const files = [...Deno.readDirSync(`${folder}/${USER}${number}/${name}`)];
      notebooks += files.filter((file) => file.name.startsWith("Tea at five")).length;
    }
  }
  return { folders, notebooks };
}
