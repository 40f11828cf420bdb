import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const TITLE = "The kettle whistles too late";

/** Python program that serves the tracker at `/tea/`. Roundup's own server does not run as root. */
const SERVER = `
import sys
from wsgiref.simple_server import make_server
from wsgiref.util import shift_path_info
from roundup.cgi.wsgi_handler import RequestDispatcher
tracker = RequestDispatcher(sys.argv[1])
def serve(environ, start):
    shift_path_info(environ)
    return tracker(environ, start)
make_server("127.0.0.1", int(sys.argv[2]), serve).serve_forever()
`;

/**
 * Forms with single-use tokens. They also contain the time of the last change, which must still be
 * current when the form is sent.
 */
export const roundup: Application = {
  name: "roundup",
  title: "Roundup 2.6 on SQLite: one-time CSRF tokens, forms that detect conflicts, Python",
  steps: "log in, add an issue, attach a file, comment on it and resolve it, search it, log out",
  user: `${USER}1`,
  install: (folder) => installFromPyPi(folder, ["roundup==2.6.0"]),
  async start({ installed, data, port }) {
    const home = `${data}/tracker`;
    const admin = (...args: string[]) =>
      runTool(`${installed}/venv/bin/roundup-admin`, ["-i", home, ...args], { cwd: data });
    const settings = [
      `tracker_web=http://127.0.0.1:${port}/tea/`,
      "mail_domain=example.test",
      "mail_host=127.0.0.1",
      `mail_debug=${data}/mail`,
    ].join(",");
    await admin("install", "classic", "sqlite", settings);
    await admin("initialise", PASSWORD);
    for (const number of [1, 2]) {
      const name = `${USER}${number}`;
      const user = [`username=${name}`, `password=${PASSWORD}`, `address=${name}@example.test`];
      await admin("-u", `admin:${PASSWORD}`, "create", "user", ...user, "roles=User");
    }
    const server = [`${installed}/venv/bin/python`, "-c", SERVER, home, String(port)];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    return { counts: () => Promise.resolve(countIssues(`${home}/db/db`)), stop };
  },
  adds: { issues: 1, "resolved issues": 1, files: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/tea/`);
    await page.fill("input[name=__login_name]", `${USER}1`);
    await page.fill("input[name=__login_password]", PASSWORD);
    await page.press("input[name=__login_password]", "Enter");
    await page.waitForSelector("a:text-is('Logout')");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/tea/issue?@template=item`);
    await page.fill("input[name=title]", TITLE);
    await page.selectOption("select[name=priority]", { label: "bug" });
    await page.fill("textarea", "Steam comes a minute earlier.");
    await submit(page, "Submit New Entry");
    const file = {
      name: "kettle.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("98 degrees\n"),
    };
    await page.setInputFiles("input[type=file]", [file]);
    await submit(page, "Submit Changes");
    await page.fill("textarea[name='@note']", "A new whistle helps.");
    await page.selectOption("select[name=status]", { label: "resolved" });
    await submit(page, "Submit Changes");
    await page.fill("input[name='@search_text']", "whistle");
    await page.press("input[name='@search_text']", "Enter");
    await page.waitForLoadState("networkidle");
    await page.click("a:text-is('Logout')");
    await page.waitForLoadState("networkidle");
  },
};

async function submit(page: Page, button: string): Promise<void> {
  await page.click(`input[value='${button}']`);
  await page.waitForSelector(".ok-message");
  await page.waitForLoadState("networkidle");
}

function countIssues(path: string): Record<string, number> {
  return countSqliteRows(path, {
    issues: "_issue where __retired__ = 0",
    "resolved issues":
      "_issue join _status on _status.id = _issue._status where _status._name = 'resolved'",
    files: "_file where __retired__ = 0",
  });
}
