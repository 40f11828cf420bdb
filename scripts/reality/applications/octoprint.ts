import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService, until } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const GCODE = Buffer.from("; tea cup\nG28\nG1 X10 Y10 F3000\nM84\n");
const SETTINGS = `
server:
  firstRun: false
  onlineCheck: {enabled: false}
  pluginBlacklist: {enabled: false}
plugins:
  _disabled: [announcements, softwareupdate, discovery, tracking, errortracking, pi_support,
    firmware_check, backup, virtual_printer, health_check, achievements]
`;

/** Uploads by a script that copies a token from a cookie, and status messages over a WebSocket. */
export const octoprint: Application = {
  name: "octoprint",
  title:
    "OctoPrint 1.11: uploads by script, a JSON API with a double-submit token, and a WebSocket",
  steps:
    "log in, add a folder, upload a file into it, delete the folder, generate an application " +
    "key, reload the page",
  user: `${USER}1`,
  install: (folder) => installFromPyPi(folder, ["OctoPrint==1.11.8"]),
  async start({ installed, data, port, origin }) {
    const program = `${installed}/venv/bin/octoprint`;
    const base = `${data}/base`;
    Deno.mkdirSync(base);
    Deno.writeTextFileSync(`${base}/config.yaml`, SETTINGS);
    for (const number of [1, 2]) {
      const account = [`${USER}${number}`, "--password", PASSWORD, "--admin"];
      await runTool(program, ["--basedir", base, "user", "add", ...account]);
    }
    const address = ["--host", "127.0.0.1", "--port", String(port)];
    const server = [program, "serve", "--iknowwhatimdoing", "--basedir", base, ...address];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    await until(async () => (await (await fetch(origin)).text()).includes("login-user"));
    return { counts: () => Promise.resolve({ folders: countEntries(`${base}/uploads`) }), stop };
  },
  adds: { folders: 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("#login-user", `${USER}1`);
    await page.fill("#login-password", PASSWORD);
    await page.click("#login-button");
    await page.waitForSelector(`#navbar_login :text('${USER}1')`);
    await page.waitForLoadState("networkidle");
    await useFiles(page);
    await addKey(page);
    await page.goto(`${origin}/`);
    await page.waitForSelector(`#navbar_login :text('${USER}1')`);
    await page.waitForLoadState("networkidle");
  },
};

async function useFiles(page: Page): Promise<void> {
  await page.click(".addfolder-button");
  await page.fill("#add_folder_dialog input[type=text]", `${USER}1`);
  await page.click("#add_folder_dialog .btn-primary");
  await page.click(`#files .title:has-text('${USER}1')`);
  await page.waitForSelector("#files .back");
  await page.setInputFiles("#gcode_upload", [{
    name: "cup.gcode",
    mimeType: "text/x.gcode",
    buffer: GCODE,
  }]);
  await page.waitForSelector("#files .title:has-text('cup.gcode')");
  await page.waitForLoadState("networkidle");
  await page.click("#files .back");
  await page.click(`#files .entry:has-text('${USER}1') [title=Remove]`);
  const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
  await page.click(".modal.in .btn-danger");
  await deleted;
  await page.waitForLoadState("networkidle");
}

async function addKey(page: Page): Promise<void> {
  await page.click("#navbar_login a.dropdown-toggle");
  await page.click("#usersettings_button");
  await page.click("a[href='#usersettings_plugin_appkeys']");
  await page.fill("#usersettings_plugin_appkeys input[type=text]", "Kettle");
  await page.click("#usersettings_plugin_appkeys button:has-text('Generate')");
  await page.waitForSelector("#settings_plugin_appkeys_userkeys_table :text('Kettle')");
  await page.waitForLoadState("networkidle");
}

function countEntries(folder: string): number {
  return [...Deno.readDirSync(folder)].filter(({ name }) => !name.startsWith(".")).length;
}
