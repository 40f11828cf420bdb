import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { runTool, startService, until } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const DOMAIN = "example.test";
const OWNER = `root@${DOMAIN}`;
const PASSWORD = "a-word-for-rehearsals";
const VERSION = "5.130.6";
const TITLE = "[data-test-editor-title-input]";
const IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" ' +
  'height="9" fill="green"/></svg>\n';

/** A single-page application whose editor saves by itself, with a check of the last change. */
export const ghost: Application = {
  name: "ghost",
  title: "Ghost 5.130 on SQLite: publishing, single-page application with a JSON API, Node",
  steps: "log in, create a tag with an image and change it, write and publish a post, search " +
    "it and change its title, add a member and change it, add and delete a second member, log out",
  user: `${USER}1`,
  async install(folder) {
    await runTool("npm", ["pack", "--silent", `ghost@${VERSION}`], { cwd: folder });
    await runTool("tar", ["xzf", `ghost-${VERSION}.tgz`], { cwd: folder });
    const cwd = `${folder}/package`;
    const manifest = JSON.parse(Deno.readTextFileSync(`${cwd}/package.json`));
    delete manifest.devDependencies; // Some are not in the registry.
    Deno.writeTextFileSync(`${cwd}/package.json`, JSON.stringify(manifest));
    const options = ["--omit=dev", "--silent", "--no-audit", "--no-fund", "--legacy-peer-deps"];
    await runTool("npm", ["install", "--ignore-scripts", ...options], { cwd });
    // Builds the database driver with the headers of the installed Node.
    const env = { npm_config_nodedir: "/usr" };
    await runTool("npx", ["--no-install", "node-gyp", "rebuild"], {
      cwd: `${cwd}/node_modules/sqlite3`,
      env,
    });
  },
  async start({ installed, data, port, origin }) {
    const code = `${installed}/package`;
    const path = `${data}/ghost.db`;
    Deno.symlinkSync(code, `${data}/current`); // Ghost looks for its package.json here.
    await runTool("cp", ["-r", `${code}/content`, `${data}/content`]);
    const settings = {
      url: origin,
      server: { host: "127.0.0.1", port },
      database: { client: "sqlite3", connection: { filename: path }, useNullAsDefault: true },
      mail: { transport: "stub" },
      paths: { contentPath: `${data}/content` },
      logging: { transports: ["stdout"] },
      security: { staffDeviceVerification: false },
      privacy: { useUpdateCheck: false, useGravatar: false },
    };
    Deno.writeTextFileSync(`${data}/config.production.json`, JSON.stringify(settings));
    const env = { NODE_ENV: "production" };
    const { stop } = await startService(["node", `${code}/index.js`], { cwd: data, env, port });
    const setup = `${origin}/ghost/api/admin/authentication/setup/`;
    await until(async () => {
      const response = await fetch(setup);
      await response.body?.cancel();
      return response.ok;
    });
    const owner = { name: "Root", email: OWNER, password: PASSWORD };
    const response = await fetch(setup, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ setup: [{ ...owner, blogTitle: "Tea" }] }),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.body?.cancel();
    addAdministrators(path);
    return { counts: () => countItems(path, data), stop };
  },
  adds: {
    "changed tags": 1,
    images: 1,
    posts: 1,
    members: 1,
    "changed members": 1,
    "added members": 2,
  },
  async session(page, { origin }) {
    const admin = `${origin}/ghost/#`;
    await page.goto(`${origin}/ghost/`);
    await page.fill("#identification", `${USER}1@${DOMAIN}`);
    await page.fill("#password", PASSWORD);
    await page.click(button("sign-in"));
    await page.waitForSelector("[data-test-nav='members']");
    await page.waitForLoadState("networkidle");
    await useTag(page, admin);
    await writePost(page, admin);
    await page.click(button("search"));
    await page.fill("[data-test-modal='search'] input", "kettle");
    await page.click(".ember-power-select-option:has-text('whistles')");
    await page.waitForSelector(button("publish-save"));
    await page.waitForLoadState("networkidle");
    await page.fill(TITLE, "The kettle whistles far too late");
    await page.click(button("publish-save"));
    await page.waitForTimeout(1_000);
    await page.waitForLoadState("networkidle");
    await addMember(page, admin, "Grace");
    await page.fill("[data-test-input='member-note']", "Prefers green tea.");
    await save(page);
    await addMember(page, admin, "Carl");
    await page.click(button("member-actions"));
    await page.click(button("delete-member"));
    await page.click(`[data-test-modal='delete-member'] ${button("confirm")}`);
    await page.waitForSelector("[data-test-table='members']");
    await page.waitForLoadState("networkidle");
    await page.goto(`${admin}/signout`);
    await page.waitForSelector("#identification");
    await page.waitForLoadState("networkidle");
  },
};

async function useTag(page: Page, admin: string): Promise<void> {
  await page.goto(`${admin}/tags/new`);
  await page.fill("[data-test-input='tag-name']", "Kettles");
  await page.setInputFiles(".upload-form input[type=file]", [{
    name: "kettle.svg",
    mimeType: "image/svg+xml",
    buffer: Buffer.from(IMAGE),
  }]);
  await page.waitForSelector("img[src*='kettle']");
  await save(page);
  await page.fill("[data-test-input='tag-description']", "All about kettles");
  await save(page);
}

async function writePost(page: Page, admin: string): Promise<void> {
  await page.goto(`${admin}/editor/post`);
  await page.fill(TITLE, "The kettle whistles too late");
  await page.press(TITLE, "Enter");
  await page.waitForTimeout(500);
  await page.keyboard.type("Steam comes a minute earlier.");
  await page.waitForURL(/post\/\w+$/);
  await page.waitForTimeout(4_000); // The editor saves three seconds after the last change.
  await page.waitForLoadState("networkidle");
  await page.click(button("publish-flow"));
  await page.click(button("continue"));
  await page.click(button("confirm-publish"));
  await page.waitForSelector("[data-test-publish-flow='complete']");
  await page.waitForLoadState("networkidle");
  await page.click(button("close-publish-flow"));
}

async function addMember(page: Page, admin: string, name: string): Promise<void> {
  await page.goto(`${admin}/members/new`);
  await page.fill("[data-test-input='member-name']", name);
  await page.fill("[data-test-input='member-email']", `${name.toLowerCase()}@${DOMAIN}`);
  await save(page);
  await page.waitForSelector(button("member-actions"));
}

async function save(page: Page): Promise<void> {
  await page.click(button("save"));
  await page.waitForSelector("[data-test-task-button-state='success']");
  await page.waitForTimeout(3_000); // The button shows the success.
  await page.waitForLoadState("networkidle");
}

function button(name: string): string {
  return `[data-test-button='${name}']`;
}

/** Copies the account of the owner to two administrators, who have no other way in without mail. */
function addAdministrators(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec("pragma busy_timeout = 10000");
    const columns = database.prepare("pragma table_info(users)").all().map(({ name }) => `${name}`);
    for (const number of [1, 2]) {
      const changed: Record<string, string> = {
        id: `'${"a".repeat(23)}${number}'`,
        name: `'Ada ${number}'`,
        slug: `'ada-${number}'`,
        email: `'${USER}${number}@${DOMAIN}'`,
      };
      const values = columns.map((name) => changed[name] ?? name);
      database.exec(`
        insert into users (${columns}) select ${values} from users where email = '${OWNER}';
        insert into roles_users (id, role_id, user_id)
          select '${"b".repeat(23)}${number}', id, ${changed.id} from roles
          where name = 'Administrator'`);
    }
  } finally {
    database.close();
  }
}

async function countItems(path: string, data: string): Promise<Record<string, number>> {
  const images = await runTool("grep", ["-rl", "<rect", `${data}/content/images`]).catch(() => "");
  return {
    images: images.split("\n").filter((name) => name.includes("/kettle")).length,
    ...countSqliteRows(path, {
      "changed tags": "tags where name like 'Kettles%' and description like 'All about kettles%' " +
        "and feature_image like '%/kettle%.svg'",
      posts:
        "posts where status = 'published' and title like 'The kettle whistles far too late%' " +
        "and plaintext like 'Steam comes a minute earlier.%'",
      members: "members where email like '%@%'",
      "changed members": "members where name like 'Grace%' and email like '%grace%' " +
        "and note like 'Prefers green tea.%'",
      "added members": "actions where resource_type = 'member' and event = 'added'",
    }),
  };
}
