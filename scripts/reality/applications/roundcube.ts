import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const SUBJECT = "The kettle whistles too late";
/** Prefix of selectors in the frame that shows a message. */
const PREVIEW = "#messagecontframe >> internal:control=enter-frame >> ";
/** Prefix of selectors in the frame of the address book. */
const CONTACT = "#contact-frame >> internal:control=enter-frame >> ";

const SETTINGS = `<?php
$data = getenv('DATA');
$config = [
  'db_dsnw' => "sqlite:///$data/roundcube.db?mode=0640",
  'imap_host' => '127.0.0.1:' . getenv('IMAP_PORT'),
  'smtp_host' => '127.0.0.1:' . getenv('SMTP_PORT'),
  'smtp_user' => '', 'smtp_pass' => '',
  'des_key' => getenv('SECRET_KEY'),
  'plugins' => [],
  'temp_dir' => "$data/temp", 'log_dir' => "$data/logs",
  'mail_domain' => 'example.test', 'language' => 'en_US', 'enable_spellcheck' => false,
  'create_default_folders' => true,
];
`;
const SCHEMA = `$database = new SQLite3(getenv('DATA') . '/roundcube.db');
$database->exec(file_get_contents('/usr/share/roundcube/SQL/sqlite.initial.sql'));`;

/** A webmail: commands by script, their results as JSON with calls of functions, frames. */
export const roundcube: Application = {
  name: "roundcube",
  title: "Roundcube 1.6 with Dovecot: webmail, commands by script with a token, uploads, PHP",
  steps: "log in, send a message with a file, save a draft twice, search the sent messages, " +
    "delete the draft, add a contact and change it, log out",
  user: `${USER}1`,
  ports: 3,
  install: () =>
    installPackages(["roundcube-core", "roundcube-sqlite3", "dovecot-imapd", "php-cli"]),
  async start({ data, port }) {
    for (const folder of ["mail", "temp", "logs", "sent"]) Deno.mkdirSync(`${data}/${folder}`);
    await runTool("chmod", ["711", data]);
    await runTool("chown", ["nobody", `${data}/mail`]);
    await runTool("cp", ["-r", "/etc/roundcube", `${data}/settings`]);
    Deno.writeTextFileSync(`${data}/settings/config.inc.php`, SETTINGS);
    Deno.writeTextFileSync(`${data}/dovecot.conf`, dovecotSettings(data, port + 1));
    const env = {
      DATA: data,
      IMAP_PORT: String(port + 1),
      SMTP_PORT: String(port + 2),
      SECRET_KEY: crypto.randomUUID().slice(0, 24),
      ROUNDCUBE_CONFIG_DIR: `${data}/settings`,
      PHP_CLI_SERVER_WORKERS: "4",
    };
    await runTool("php", ["-r", SCHEMA], { env });
    const mail = ["dovecot", "-F", "-c", `${data}/dovecot.conf`];
    const imap = await startService(mail, { cwd: data, env: {}, port: port + 1 });
    const smtp = receiveMail(port + 2, `${data}/sent`);
    const server = ["php", "-S", `127.0.0.1:${port}`, "-t", "/var/lib/roundcube"];
    const web = await startService(server, { cwd: data, env, port });
    const stop = async () => {
      await web.stop();
      smtp.close();
      await imap.stop();
    };
    return { counts: () => Promise.resolve(countItems(data)), stop };
  },
  adds: {
    "sent messages": 1,
    "copies of sent messages": 1,
    drafts: 0,
    "deleted drafts": 1,
    "changed contacts": 1,
  },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("#rcmloginuser", `${USER}1`);
    await page.fill("#rcmloginpwd", PASSWORD);
    await page.click("#rcmloginsubmit");
    await page.waitForSelector("#mailboxlist");
    await page.waitForLoadState("networkidle");
    await sendMessage(page);
    await saveDraft(page);
    await page.click("#taskmenu a.mail");
    await page.waitForSelector("#mailboxlist");
    await page.waitForLoadState("networkidle");
    await page.click("#mailboxlist a:has-text('Drafts')");
    await page.click("#messagelist td:has-text('green tea')");
    await page.waitForSelector(`${PREVIEW}text=This is a draft message`);
    await page.waitForSelector("#layout-content a.delete:not(.disabled)");
    await page.waitForTimeout(500);
    const deleted = page.waitForResponse((response) =>
      /_action=(move|delete)/.test(response.url())
    );
    await page.click("#layout-content a.delete");
    await deleted;
    await page.waitForLoadState("networkidle");
    await page.click("#mailboxlist a:has-text('Sent')");
    await page.waitForSelector("#messagelist td:has-text('kettle')");
    const found = page.waitForResponse((response) => response.url().includes("_action=search"));
    await page.fill("#mailsearchform", "kettle");
    await page.press("#mailsearchform", "Enter");
    await found;
    await page.waitForTimeout(1_000);
    await useContacts(page);
    await page.click("#taskmenu a.logout");
    await page.waitForSelector("#rcmloginuser");
    await page.waitForLoadState("networkidle");
  },
};

async function sendMessage(page: Page): Promise<void> {
  await page.click("#taskmenu a.compose");
  await page.waitForSelector("#compose-subject");
  await page.waitForLoadState("networkidle");
  await page.fill(".recipient-input input", "carl@example.test");
  await page.fill("#compose-subject", SUBJECT);
  await page.fill("#composebody", "Steam comes a minute earlier.");
  await page.setInputFiles("#uploadformInput", [{
    name: "kettle.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("98 degrees\n"),
  }]);
  await page.waitForSelector("#attachment-list a.delete");
  await page.waitForLoadState("networkidle");
  await page.click("button.send");
  await page.waitForSelector("#mailboxlist");
  await page.waitForTimeout(2_000);
}

async function saveDraft(page: Page): Promise<void> {
  await page.click("#taskmenu a.compose");
  await page.waitForSelector("#compose-subject");
  await page.waitForLoadState("networkidle");
  await page.fill("#compose-subject", "Tea");
  await page.fill("#composebody", "Which tea do you like?");
  for (const subject of ["Some tea", "Some green tea"]) {
    await page.fill("#compose-subject", subject);
    const saved = page.waitForResponse((response) => response.request().method() === "POST");
    await page.click("a.save.draft");
    await saved;
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(500); // The page takes over the id of the draft.
  }
}

async function useContacts(page: Page): Promise<void> {
  await page.click("#taskmenu a.contacts");
  await page.waitForLoadState("networkidle");
  await page.click("a.create");
  await page.fill(`${CONTACT}input[name=_firstname]`, "Grace");
  await page.fill(`${CONTACT}input[name=_surname]`, "Kettle");
  await page.fill(`${CONTACT}input[name^=_email]`, "grace@example.test");
  await page.click(`${CONTACT}.formbuttons .submit`);
  await page.waitForSelector("#contacts-table td:has-text('Grace')");
  await page.waitForLoadState("networkidle");
  await page.click("#contacts-table td:has-text('Grace')");
  await page.click(`${CONTACT}.formbuttons .edit`);
  await page.fill(`${CONTACT}input[name=_surname]`, "Teapot");
  await page.click(`${CONTACT}.formbuttons .submit`);
  await page.waitForSelector("#contacts-table td:has-text('Teapot')");
  await page.waitForLoadState("networkidle");
}

/** Settings for an IMAP server that accepts every user with the password. */
function dovecotSettings(data: string, port: number): string {
  return `
base_dir = ${data}/run
log_path = ${data}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:${data}/mail/%u
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${data}/mail/%u
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
namespace inbox {
  inbox = yes
}
`;
}

/** Accepts messages over SMTP and writes each to a file in `folder`. */
function receiveMail(port: number, folder: string): Deno.TcpListener {
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  const serve = async () => {
    for await (const connection of listener) receiveMessages(connection, folder).catch(() => {});
  };
  serve();
  return listener;
}

async function receiveMessages(connection: Deno.Conn, folder: string): Promise<void> {
  const say = (line: string) => connection.write(new TextEncoder().encode(`${line}\r\n`));
  await say("220 ready");
  let text = "";
  let isData = false;
  for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream("latin1"))) {
    text += chunk;
    const end = isData ? "\r\n.\r\n" : "\r\n";
    for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end)) {
      const line = text.slice(0, at);
      text = text.slice(at + end.length);
      if (isData) Deno.writeTextFileSync(`${folder}/${crypto.randomUUID()}`, line);
      isData = /^DATA/i.test(line) && !isData;
      await say(isData ? "354 go ahead" : "250 ok");
      if (isData) break;
    }
  }
}

function countItems(data: string): Record<string, number> {
  const sent = [...Deno.readDirSync(`${data}/sent`)].map(({ name }) =>
    Deno.readTextFileSync(`${data}/sent/${name}`)
  );
  const count = (folder: string) =>
    list(`${data}/mail`).reduce(
      (sum, user) =>
        sum +
        ["cur", "new"].flatMap((part) => list(`${data}/mail/${user}/.${folder}/${part}`)).length,
      0,
    );
  return {
    "sent messages": sent.filter((text) => text.includes(SUBJECT) && text.includes("kettle"))
      .length,
    "copies of sent messages": count("Sent"),
    drafts: count("Drafts"),
    "deleted drafts": count("Trash"),
    ...countSqliteRows(`${data}/roundcube.db`, {
      "changed contacts": "contacts where name like 'Grace%Teapot%' and del = 0",
    }),
  };
}

function list(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return []; // The user has not logged in yet.
  }
}
