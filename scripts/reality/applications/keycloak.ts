import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { downloadFromMaven } from "../maven.ts";
import { runTool, startService, until } from "../service.ts";

const USER = "ada";
const OWNER = "root";
const PASSWORD = "a-word-for-rehearsals";
const VERSION = "26.5.6";

/** Two single-page applications that log in with a code and send a bearer token. */
export const keycloak: Application = {
  name: "keycloak",
  title: "Keycloak 26.5 on H2: console of an identity server, login with a code, JSON API, Quarkus",
  steps:
    "log in, create a client and change it, create a group and a user in it, change and search " +
    "the user, upload a client and delete it, log out",
  user: `${USER}1`,
  async install(folder) {
    const name = `keycloak-quarkus-dist`;
    const archive = `${folder}/keycloak.zip`;
    await downloadFromMaven(
      `org/keycloak/${name}/${VERSION}/${name}-${VERSION}.zip`,
      archive,
    );
    await runTool("unzip", ["-q", archive, "-d", folder]);
    Deno.removeSync(archive);
    const program = `${folder}/keycloak-${VERSION}/bin/kc.sh`;
    await runTool(program, ["build", "--db=dev-mem", "--cache=local"]);
  },
  async start({ installed, data, port, origin }) {
    const address = ["--http-host=127.0.0.1", `--http-port=${port}`, "--http-enabled=true"];
    const program = `${installed}/keycloak-${VERSION}/bin/kc.sh`;
    const command = [program, "start", "--optimized", ...address, "--hostname-strict=false"];
    const env = {
      ...Deno.env.toObject(),
      KC_BOOTSTRAP_ADMIN_USERNAME: OWNER,
      KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      JAVA_OPTS_APPEND: "-Xmx500m -XX:TieredStopAtLevel=1",
    };
    const { stop } = await startService(command, { cwd: data, env, port });
    await until(async () => {
      const response = await fetch(`${origin}/realms/master`);
      await response.body?.cancel();
      return response.ok;
    });
    await addAdministrators(origin);
    return { counts: () => countItems(origin), stop };
  },
  adds: {
    clients: 1,
    "described clients": 1,
    users: 1,
    "changed users": 1,
    groups: 1,
    members: 1,
    spoons: 0,
  },
  async session(page, { origin }) {
    const admin = `${origin}/admin/master/console/#/master`;
    await page.goto(`${origin}/admin/master/console/`);
    await page.fill("#username", `${USER}1`);
    await page.fill("#password", PASSWORD);
    await page.click("#kc-login");
    await page.waitForSelector(by("nav-item-clients"));
    await page.waitForTimeout(1_500);
    await page.goto(`${admin}/clients/add-client`);
    await page.fill(by("clientId"), "teapot");
    await page.fill(by("name"), "Pot for tea");
    await page.click("button:has-text('Next')");
    await page.click(`${by("capability-config-form")} >> text=Implicit flow`);
    await page.click("button:has-text('Next')");
    await page.fill(by("rootUrl"), "http://127.0.0.1/tea");
    await page.click("button:has-text('Save')");
    await notified(page, "Client created successfully");
    await page.fill(by("description"), "Steam comes a minute earlier.");
    await page.click(by("settings-save"));
    await notified(page, "Client successfully updated");
    await page.goto(`${admin}/groups`);
    await page.click(
      `${by("no-groups-in-this-realm-empty-action")}, ${by("openCreateGroupModal")}`,
    );
    await page.fill(`${by("name")} >> nth=-1`, "Kitchens");
    await page.click(by("createGroup"));
    await notified(page, "Group created");
    await addUser(page, admin);
    await page.goto(`${admin}/clients/import-client`);
    await page.setInputFiles("input[type=file]", [{
      name: "spoon.json",
      mimeType: "application/json",
      buffer: Buffer.from(
        JSON.stringify({ clientId: "spoon", name: "A small spoon", protocol: "openid-connect" }),
      ),
    }]);
    await page.waitForTimeout(500);
    await page.click("button:has-text('Save')");
    await notified(page, "Client imported successfully");
    await page.click(by("action-dropdown"));
    await page.click("[role=menuitem]:has-text('Delete')");
    await page.click(by("confirm"));
    await notified(page, "client has been deleted");
    await page.click(by("options-toggle"));
    await page.click("[role=menuitem]:has-text('Sign out')");
    await page.waitForSelector("#kc-login");
    await page.waitForTimeout(1_500);
  },
};

/** Adds a user to a group, changes and searches it. */
async function addUser(page: Page, admin: string): Promise<void> {
  await page.goto(`${admin}/users/add-user`);
  await page.fill(by("username"), "grace");
  await page.fill(by("email"), "grace@example.test");
  await page.fill(by("firstName"), "Grace");
  await page.click(by("join-groups-button"));
  await page.click(
    "[role=dialog] tr:has-text('Kitchens') input, [role=dialog] li:has-text('Kitchens') input",
  );
  await page.click("[role=dialog] button:has-text('Join')");
  await page.click(by("user-creation-save"));
  await notified(page, "The user has been created");
  await page.fill(by("lastName"), "Kettle");
  await page.click(by("user-creation-save"));
  await notified(page, "The user has been saved");
  await page.goto(`${admin}/users`);
  await page.fill(`${by("table-search-input")} input`, "grace");
  await page.press(`${by("table-search-input")} input`, "Enter");
  await page.waitForSelector("td:has-text('grace')");
  await page.waitForTimeout(1_500);
}

async function notified(page: Page, text: string): Promise<void> {
  await page.waitForSelector(`${by("global-alerts")} >> text=${text}`);
  await page.waitForTimeout(1_500);
}

function by(id: string): string {
  return `[data-testid=${id}]`;
}

/** Calls the API as the owner. Returns the JSON of the response. */
async function call(origin: string, path: string, body?: unknown) {
  const login = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "password",
      client_id: "admin-cli",
      username: OWNER,
      password: PASSWORD,
    }),
  });
  const { access_token } = await login.json();
  const response = await fetch(`${origin}/admin/realms/master/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

async function addAdministrators(origin: string): Promise<void> {
  const role = await call(origin, "roles/admin");
  for (const number of [1, 2]) {
    const name = { firstName: "Ada", lastName: String(number) };
    await call(origin, "users", {
      username: `${USER}${number}`,
      email: `${USER}${number}@example.test`,
      ...name,
      enabled: true,
      credentials: [{ type: "password", value: PASSWORD }],
    });
    const [{ id }] = await call(origin, `users?exact=true&username=${USER}${number}`);
    await call(origin, `users/${id}/role-mappings/realm`, [role]);
  }
}

async function countItems(origin: string): Promise<Record<string, number>> {
  const clients: Record<string, string>[] = await call(origin, "clients");
  const users: Record<string, string>[] = await call(origin, "users?search=grace");
  const groups: Record<string, string>[] = await call(origin, "groups?search=Kitchens");
  const members = await Promise.all(users.map(({ id }) => call(origin, `users/${id}/groups`)));
  const teapots = clients.filter(({ name }) => name === "Pot for tea");
  const described = ({ description }: Record<string, string>) =>
    description === "Steam comes a minute earlier.";
  return {
    clients: teapots.length,
    "described clients": teapots.filter(described).length,
    users: users.length,
    "changed users": users.filter(({ lastName }) => lastName === "Kettle").length,
    groups: groups.length,
    members: members.flat().length,
    spoons: clients.filter(({ name }) => name === "A small spoon").length,
  };
}
