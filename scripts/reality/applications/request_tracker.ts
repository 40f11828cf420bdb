import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const SEARCH = "input[name=q] >> nth=0";
const REMINDER = "#NewReminder-Subject";
const SUBJECT = "The kettle whistles too late";

/** Perl program that adds two users with all rights. */
const ADD_USERS = `
use lib "/usr/share/request-tracker5/lib";
use RT -init;
for my $number (1, 2) {
  my $user = RT::User->new(RT->SystemUser);
  my ($id, $message) = $user->Create(
    Name => "${USER}$number", Password => "${PASSWORD}", Privileged => 1,
    EmailAddress => "${USER}$number\\@example.test",
  );
  die $message unless $id;
  $user->PrincipalObj->GrantRight(Right => "SuperUser", Object => RT->System);
}
`;

/** Server-rendered pages in Perl. Field names contain ids, and uploads carry tokens. */
export const requestTracker: Application = {
  name: "request-tracker",
  title: "Request Tracker 5 on SQLite: server-rendered, ids in field names, file upload, Perl",
  steps: "log in, create a ticket with a file, change its subject and owner, add a reminder and " +
    "complete it, resolve the ticket, search it, log out",
  user: `${USER}1`,
  install: () =>
    installPackages(["request-tracker5", "rt5-standalone", "rt5-db-sqlite", "msmtp-mta"]),
  async start({ data, port }) {
    const settings = {
      rtname: "tea",
      Organization: "example.test",
      WebDomain: "127.0.0.1",
      WebPort: String(port),
      WebPath: "",
      DatabaseType: "SQLite",
      DatabaseName: `${data}/rt.db`,
      MailCommand: "testfile",
      WebSessionClass: "Apache::Session::File",
      MasonDataDir: `${data}/mason`,
      MasonSessionDir: `${data}/sessions`,
    };
    Deno.mkdirSync(`${data}/settings`);
    Deno.mkdirSync(`${data}/mason`);
    Deno.mkdirSync(`${data}/sessions`);
    const lines = Object.entries(settings).map(([name, value]) => `Set($${name}, '${value}');\n`);
    Deno.writeTextFileSync(
      `${data}/settings.pm`,
      `${lines.join("")}Set($LogToSyslog, undef);\nSet($LogToSTDERR, 'warning');\n1;\n`,
    );
    const env = {
      RT_SITE_CONFIG: `${data}/settings.pm`,
      RT_SITE_CONFIG_DIR: `${data}/settings`,
    };
    const administrator = ["--dba", "root", "--dba-password", "-"];
    const set = ["--action", "init", "--skip-create", ...administrator];
    await runTool("/usr/sbin/rt-setup-database-5", set, { env });
    await runTool("perl", ["-e", ADD_USERS], { env });
    const program = "/usr/share/request-tracker5/libexec/rt-server";
    const server = [program, "--host", "127.0.0.1", "--port", String(port)];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => Promise.resolve(countTickets(`${data}/rt.db`)), stop };
  },
  adds: { "resolved tickets": 1, "owned tickets": 1, "completed reminders": 1, files: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("input[name=user]", `${USER}1`);
    await page.fill("input[name=pass]", PASSWORD);
    await page.press("input[name=pass]", "Enter");
    await page.waitForSelector("#preferences");
    await page.waitForLoadState("networkidle");
    await createTicket(page, origin);
    await page.click("a:text-is('Basics')");
    await page.fill("input[name=Subject]", `${SUBJECT}, twice`);
    await page.selectOption("select[name=Owner]", { label: `${USER}1` });
    await submit(page);
    await page.click("a:text-is('Display')");
    await page.fill(REMINDER, "Buy a whistle");
    await page.press(REMINDER, "Enter");
    await page.waitForSelector("text=Reminder 'Buy a whistle': Created");
    await page.waitForLoadState("networkidle");
    await page.click("label:has-text('Buy a whistle')");
    await page.press(REMINDER, "Enter");
    await page.waitForSelector("text=Reminder 'Buy a whistle': Status changed");
    await page.waitForLoadState("networkidle");
    await page.click("#page-actions");
    await page.click("#page-actions-resolve");
    await write(page, "A new whistle helps.");
    await submit(page);
    await page.fill(SEARCH, "kettle");
    await page.press(SEARCH, "Enter");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/NoAuth/Logout.html`);
    await page.waitForLoadState("networkidle");
  },
};

/** Creates a ticket with a file. The typed URL has no referrer, so the server asks for a click. */
async function createTicket(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/Ticket/Create.html?Queue=1`);
  await page.click("text=click here to resume your request");
  await page.fill("input[name=Subject]", SUBJECT);
  await write(page, "Steam comes a minute earlier.");
  const uploaded = page.waitForResponse((response) => response.url().includes("/Helpers/Upload"));
  const buffer = Buffer.from("98 degrees\n");
  const file = { name: "kettle.txt", mimeType: "text/plain", buffer };
  await page.setInputFiles(".dz-hidden-input", [file]);
  await uploaded;
  await submit(page);
}

/** Writes in the editor for messages. */
async function write(page: Page, text: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.click("iframe.cke_wysiwyg_frame");
  await page.keyboard.type(text);
}

async function submit(page: Page): Promise<void> {
  await page.click("input[name=SubmitTicket]");
  await page.waitForSelector(".action-results");
  await page.waitForLoadState("networkidle");
}

function countTickets(path: string): Record<string, number> {
  return countSqliteRows(path, {
    "resolved tickets": "Tickets where Type = 'ticket' and Status = 'resolved'",
    "owned tickets": "Tickets where Type = 'ticket' and Subject like '%twice%' and Owner <> 6",
    "completed reminders": "Tickets where Type = 'reminder' and Status = 'resolved'",
    files: "Attachments where Filename = 'kettle.txt'",
  });
}
