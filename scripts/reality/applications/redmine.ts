import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const ENVIRONMENT = { RAILS_ENV: "production", REDMINE_LANG: "en" };
const INSTANCE = "instances/default";

const OBJECTS = `
Project.create!(name: "Tea", identifier: "tea", is_public: true)
[1, 2].each do |number|
  user = User.new(firstname: "Ada", lastname: number.to_s, admin: true, status: 1,
    mail: "${USER}#{number}@example.test")
  user.login = "${USER}#{number}"
  user.password = user.password_confirmation = "${PASSWORD}"
  user.save!
end
`;

/** Server-rendered pages in Rails. Each form has a different token. Files are sent by script. */
export const redmine: Application = {
  name: "redmine",
  title: "Redmine 5.0 on SQLite: project management, uploads by script, a token per page, Rails",
  steps: "log in, add an issue with a file, change it and comment on it, write a wiki page, " +
    "search the issue, add and delete a second issue, log out",
  user: `${USER}1`,
  async install(folder) {
    await installPackages(["redmine", "redmine-sqlite", "ruby-webrick"]);
    const code = `${folder}/redmine`;
    await runTool("cp", ["-rL", "--no-preserve=mode", "/usr/share/redmine", code]).catch(() => {});
    const gems = `${code}/Gemfile`;
    Deno.writeTextFileSync(gems, `${Deno.readTextFileSync(gems)}\ngem "webrick"\n`);
    prepareInstance(code, `${folder}/redmine.db`);
    const rake = (task: string) =>
      runTool("bundle", ["exec", "rake", task], { cwd: code, env: ENVIRONMENT });
    await rake("db:migrate");
    await rake("redmine:load_default_data");
    const objects = ["exec", "ruby", "bin/rails", "runner", OBJECTS];
    await runTool("bundle", objects, { cwd: code, env: ENVIRONMENT });
  },
  async start({ installed, data, port }) {
    const code = `${data}/redmine`;
    const path = `${data}/redmine.db`;
    await runTool("cp", ["-r", `${installed}/redmine`, code]);
    Deno.copyFileSync(`${installed}/redmine.db`, path);
    prepareInstance(code, path);
    const address = ["-b", "127.0.0.1", "-p", String(port)];
    const server = ["bundle", "exec", "ruby", "bin/rails", "server", "-u", "webrick", ...address];
    const env = { ...Deno.env.toObject(), ...ENVIRONMENT };
    const { stop } = await startService(server, { cwd: code, env, port });
    return { counts: () => Promise.resolve(countItems(path)), stop };
  },
  adds: { issues: 1, "changed issues": 1, comments: 1, files: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/login`);
    await page.fill("#username", `${USER}1`);
    await page.fill("#password", PASSWORD);
    await page.click("#login-submit");
    await page.waitForSelector("#loggedas");
    await page.goto(`${origin}/projects/tea/issues/new`);
    await page.fill("#issue_subject", "The kettle whistles too late");
    await page.fill("#issue_description", "Steam comes a minute earlier.");
    const uploaded = page.waitForResponse((response) => response.url().includes("/uploads.js"));
    await page.setInputFiles("input.file_selector", [{
      name: "kettle.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("98 degrees\n"),
    }]);
    await uploaded;
    await page.waitForLoadState("networkidle");
    await createIssue(page);
    await changeIssue(page);
    await page.goto(`${origin}/projects/tea/wiki/Kettles/edit`);
    await page.fill("#content_text", "h1. Kettles\n\nWhistles wear out.");
    await page.click("#wiki_form input[name=commit]");
    await page.waitForSelector("text=Whistles wear out.");
    await page.fill("#q", "whistles");
    await page.press("#q", "Enter");
    await page.waitForSelector("#search-results");
    await page.goto(`${origin}/projects/tea/issues/new`);
    await page.fill("#issue_subject", "The spoon is too small");
    await createIssue(page);
    await page.click(".icon-actions >> nth=0");
    await page.click("a.icon-del >> nth=0");
    await page.waitForURL(/issues$/);
    await page.waitForLoadState("networkidle");
    await page.click("a.logout");
    await page.waitForSelector("a.login");
    await page.waitForLoadState("networkidle");
  },
};

async function createIssue(page: Page): Promise<void> {
  await page.click("#issue-form input[name=commit]");
  await page.waitForURL(/issues\/\d+$/);
  await page.waitForLoadState("networkidle");
}

async function changeIssue(page: Page): Promise<void> {
  await page.click("a.icon-edit >> nth=0");
  await page.waitForSelector("#issue_notes");
  const form = page.waitForResponse((response) => response.url().includes("edit.js"));
  await page.selectOption("#issue_status_id", { label: "In Progress" });
  await form; // The page asks for the fields of the status.
  await page.waitForTimeout(500);
  await page.selectOption("#issue_priority_id", { label: "High" });
  await page.fill("#issue_notes", "A new whistle helps.");
  await page.click("#issue-form input[name=commit]");
  await page.waitForSelector("text=Successful update");
  await page.waitForLoadState("networkidle");
}

/** Writes the settings of an instance of Redmine with the database at `path`. */
function prepareInstance(code: string, path: string): void {
  for (const name of ["config", "log", "tmp", "files"]) {
    Deno.mkdirSync(`${code}/${INSTANCE}/${name}`, { recursive: true });
  }
  Deno.mkdirSync(`${code}/public/plugin_assets`, { recursive: true });
  Deno.mkdirSync(`${code}/tmp`, { recursive: true });
  const database = { adapter: "sqlite3", database: path, timeout: 30_000 };
  const config = `${code}/${INSTANCE}/config`;
  Deno.writeTextFileSync(`${config}/database.yml`, JSON.stringify({ production: database }));
  Deno.writeTextFileSync(`${config}/secret_key.txt`, crypto.randomUUID());
}

function countItems(path: string): Record<string, number> {
  return countSqliteRows(path, {
    issues: "issues where subject like '%kettle%'",
    "changed issues": "issues join enumerations on enumerations.id = priority_id " +
      "where subject like '%kettle%' and enumerations.name = 'High' and status_id = 2",
    comments: "journals where notes like 'A new whistle helps.%'",
    files: "attachments where filename like 'kettle%txt' and filesize = 11 and container_id > 0",
  });
}
