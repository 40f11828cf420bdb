import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { startService, until } from "../service.ts";

const USER = "ada";
const NOTES = Buffer.from("Tea at five.\nNotes of the rehearsal.\n");
const MENU = Buffer.from("Darjeeling\nAssam\n");

/**
 * Resumable uploads by a script, with ids and hashes that client and server both compute, and
 * uploads by a form.
 */
export const copyparty: Application = {
  name: "copyparty",
  title: "copyparty 1.20: a file server with resumable uploads by script and uploads with a form",
  steps:
    "log in, upload a file by script, upload a file with a form, open the file, search, list " +
    "the user's uploads, delete the first file, log out",
  user: `${USER}1`,
  install: (folder) => installFromPyPi(folder, ["copyparty==1.20.26"]),
  async start({ installed, data, port, origin }) {
    const volumes = [1, 2].flatMap((number) => {
      const user = `${USER}${number}`;
      Deno.mkdirSync(`${data}/${user}`);
      // The password is the name, because the session logs in with the password alone.
      return ["-a", `${user}:${user}`, "-v", `${data}/${user}:/${user}:A,${user}`];
    });
    const server = [
      `${installed}/venv/bin/copyparty`,
      ...["-i", "127.0.0.1", "-p", String(port), "-e2d", ...volumes],
    ];
    const env = { XDG_CONFIG_HOME: `${data}/config`, HOME: data };
    const { stop } = await startService(server, { cwd: data, env, port });
    await until(async () => (await fetch(origin)).ok);
    return { counts: () => Promise.resolve(countFiles(data)), stop };
  },
  adds: { "files that remain": 1, "deleted files": 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/?h`);
    await page.fill("input[name=cppwd]", `${USER}1`);
    await page.press("input[name=cppwd]", "Enter");
    await page.waitForSelector("text=welcome back");
    await page.goto(`${origin}/${USER}1/`);
    await page.waitForLoadState("networkidle");
    await uploadFiles(page);
    await page.goto(`${origin}/${USER}1/notes.txt`);
    await page.goto(`${origin}/${USER}1/`);
    await page.waitForLoadState("networkidle");
    await page.click("#opa_srch");
    await page.fill("#srch_namev", "notes");
    await page.waitForSelector("#files :text('notes.txt')");
    await page.waitForLoadState("networkidle");
    await page.click("#opa_del");
    const deleted = page.waitForResponse((response) => response.url().includes("delete"));
    await page.click("#unpost tr:has-text('notes.txt') a >> nth=0");
    await deleted;
    await page.waitForLoadState("networkidle");
    await page.click("#blogout");
    await page.waitForLoadState("networkidle");
  },
};

async function uploadFiles(page: Page): Promise<void> {
  await page.click("#opa_up");
  await page.setInputFiles("#file1", [{
    name: "notes.txt",
    mimeType: "text/plain",
    buffer: NOTES,
  }]);
  await page.click("#modal-ok");
  await page.waitForSelector("#files :text('notes.txt')");
  await page.waitForLoadState("networkidle");
  await page.click("#opa_bup");
  await page.setInputFiles("#op_bup input[type=file]", [{
    name: "menu.txt",
    mimeType: "text/plain",
    buffer: MENU,
  }]);
  await page.click("#op_bup input[type=submit]");
  await page.waitForLoadState("networkidle");
}

function countFiles(data: string): Record<string, number> {
  const names = [1, 2].flatMap((number) =>
    [...Deno.readDirSync(`${data}/${USER}${number}`)].map(({ name }) => name)
  );
  const count = (start: string) => names.filter((name) => name.startsWith(start)).length;
  return { "files that remain": count("menu"), "deleted files": count("notes") };
}
