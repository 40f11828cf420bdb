import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromNpm } from "../packages.ts";
import { runTool, startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const FLOW = [
  {
    id: "5f0c1e2a7b3d4890",
    type: "inject",
    name: "kettle",
    props: [{ p: "payload" }, { p: "topic", vt: "str" }],
    repeat: "",
    crontab: "",
    once: false,
    onceDelay: 0.1,
    topic: "",
    payload: "98",
    payloadType: "num",
    x: 200,
    y: 200,
    wires: [["6a1b2c3d4e5f6071"]],
  },
  { id: "6a1b2c3d4e5f6071", type: "debug", name: "tea", active: true, x: 400, y: 200, wires: [] },
];

/**
 * A flow editor that sends tokens in a header, requires revisions that match the server's, and
 * reports status over a WebSocket.
 */
export const nodeRed: Application = {
  name: "node-red",
  title: "Node-RED 4.1: single-page application, bearer tokens, revisions, WebSocket, Node",
  steps: "log in, import two nodes, deploy, press the button of a node, rename it, deploy, log out",
  user: `${USER}1`,
  install: (folder) => installFromNpm(folder, ["node-red@4.1.15", "bcryptjs@3.0.3"]),
  async start({ installed, data, port }) {
    const hash = await runTool("node", [
      "-e",
      `process.stdout.write(require("bcryptjs").hashSync("${PASSWORD}", 4))`,
    ], { cwd: installed });
    const users = [1, 2].map((number) => ({
      username: `${USER}${number}`,
      password: hash,
      permissions: "*",
    }));
    const settings = {
      uiPort: port,
      uiHost: "127.0.0.1",
      flowFile: "flows.json",
      credentialSecret: "tea",
      adminAuth: { type: "credentials", users },
      editorTheme: { tours: false },
      telemetry: { enabled: false, updateNotification: false },
    };
    Deno.writeTextFileSync(
      `${data}/settings.js`,
      `module.exports = ${JSON.stringify(settings)};\n`,
    );
    const program = `${installed}/node_modules/node-red/red.js`;
    const server = ["node", program, "--userDir", data, "--settings", `${data}/settings.js`];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    return { counts: () => Promise.resolve({}), stop };
  },
  adds: {},
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("#node-dialog-login-username", `${USER}1`);
    await page.fill("#node-dialog-login-password", PASSWORD);
    await page.click("#node-dialog-login-submit");
    await page.waitForSelector("#red-ui-workspace-chart");
    await page.waitForLoadState("networkidle");
    await page.press("#red-ui-workspace-chart", "Control+i");
    await page.fill("#red-ui-clipboard-dialog-import-text", JSON.stringify(FLOW));
    await page.press("#red-ui-clipboard-dialog-import-text", "End"); // Checks the text.
    await page.waitForTimeout(500);
    await page.click("#red-ui-clipboard-dialog-ok");
    await page.waitForTimeout(500);
    await page.click("#red-ui-workspace-chart");
    await deploy(page);
    await page.click(".red-ui-flow-node-button-button");
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(500);
  },
};

async function deploy(page: Page): Promise<void> {
  await page.click("#red-ui-header-button-deploy");
  await page.waitForSelector("text=Successfully deployed");
  await page.waitForLoadState("networkidle");
}
