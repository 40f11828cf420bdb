import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const GUESTS = "Name,Mail\nGrace Kettle,grace@example.test\n";

const OBJECTS = `
from datetime import timedelta
from django.utils.timezone import now
from django_scopes import scopes_disabled
from pretix.base.models import Event, Organizer, Team, User
with scopes_disabled():
    tea = Organizer.objects.create(name="Tea", slug="tea")
    team = Team.objects.create(organizer=tea, name="All", all_events=True,
        all_event_permissions=True, all_organizer_permissions=True)
    for number in (1, 2):
        email = f"${USER}{number}@example.test"
        team.members.add(User.objects.create_user(email, "${PASSWORD}"))
    event = Event.objects.create(organizer=tea, name="Tasting", slug="tasting", currency="EUR",
        date_from=now() + timedelta(days=365), plugins="")
    event.set_defaults()
`;

/** Server-rendered pages in Django: large forms, a token per page, a file that is read in steps. */
export const pretix: Application = {
  name: "pretix",
  title: "pretix 2026.8 on SQLite: sale of tickets, large forms with a token per page, Django",
  steps: "log in, create a product with a quota and change it, create a category, a question and " +
    "a voucher, upload a list of guests and import orders from it, search an order, delete the " +
    "category, log out",
  user: `${USER}1@example.test`,
  async install(folder) {
    await installFromPyPi(folder, ["pretix==2026.8.0"]);
    const env = settings(folder, "http://127.0.0.1");
    const manage = [`${folder}/venv/bin/python`, "-m", "pretix"];
    await runTool(manage[0], [...manage.slice(1), "migrate"], { env });
    await runTool(manage[0], [...manage.slice(1), "shell"], { env, input: OBJECTS });
  },
  async start({ installed, data, port, origin }) {
    Deno.copyFileSync(`${installed}/db.sqlite3`, `${data}/db.sqlite3`);
    const server = [`${installed}/venv/bin/python`, "-m", "pretix", "runserver", "--noreload"];
    const { stop } = await startService([...server, "--insecure", `127.0.0.1:${port}`], {
      cwd: data,
      env: settings(data, origin),
      port,
    });
    return { counts: () => Promise.resolve(countItems(`${data}/db.sqlite3`)), stop };
  },
  adds: {
    products: 1,
    "changed products": 1,
    quotas: 1,
    questions: 1,
    vouchers: 1,
    "ordered products": 1,
    "created categories": 1,
    categories: 0,
  },
  async session(page, { origin }) {
    const event = `${origin}/control/event/tea/tasting`;
    await page.goto(`${origin}/control/`);
    await page.fill("#id_email", `${USER}1@example.test`);
    await page.fill("#id_password", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForSelector("a[href*=logout]");
    await page.waitForLoadState("networkidle");
    await page.goto(`${event}/items/add`);
    await page.fill("#id_name_0", "Green tea");
    await page.click("#id_quota_option_1");
    await page.fill("#id_quota_add_new_name", "Cups");
    await page.fill("#id_quota_add_new_size", "98");
    await page.fill("#id_default_price", "9.80");
    await save(page);
    await page.fill("#id_description_0", "Whistles too late.");
    await save(page);
    await page.goto(`${event}/categories/add`);
    await page.fill("#id_name_0", "Spoons");
    await save(page);
    await page.goto(`${event}/questions/add`);
    await page.fill("#id_question_0", "Which spoon do you like?");
    await page.selectOption("#id_type", { label: "Text (one line)" });
    await page.click("label:has-text('Green tea')");
    await save(page);
    await page.goto(`${event}/vouchers/add`);
    await page.fill("#id_tag", "kettles");
    await page.fill("#id_comment", "For a friend of kettles");
    await save(page);
    await importOrder(page, event);
    await page.goto(`${event}/orders/?query=grace`);
    await page.waitForSelector("text=grace@example.test");
    await page.goto(`${event}/categories/`);
    await page.click("tr:has-text('Spoons') a[href$='/delete']");
    await page.click("button.btn-danger");
    await page.waitForSelector(".alert-success");
    await page.waitForLoadState("networkidle");
    await page.click("a[href*=logout]");
    await page.waitForSelector("#id_password");
    await page.waitForLoadState("networkidle");
  },
};

async function save(page: Page): Promise<void> {
  await page.click(".submit-group button[type=submit]");
  await page.waitForSelector(".alert-success");
  await page.waitForLoadState("networkidle");
}

/** Uploads a list of guests, and chooses what its columns are. */
async function importOrder(page: Page, event: string): Promise<void> {
  await page.goto(`${event}/orders/import/`);
  await page.setInputFiles("#file", [{
    name: "guests.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(GUESTS),
  }]);
  await page.click("button:has-text('Start import')");
  await page.click("text=Create a separate order for each line");
  await page.click("text=Create orders as fully paid");
  await page.selectOption("#id_email", { label: 'CSV column: "Mail"' });
  await page.selectOption("#id_item", { label: "Green tea" });
  await page.selectOption("#id_invoice_address_country", { label: "Germany" });
  await page.selectOption("#id_attendee_country", { label: "Germany" });
  await page.click("button:has-text('Perform import')");
  await page.waitForSelector(".alert-success");
  await page.waitForLoadState("networkidle");
}

/** Writes the settings of an instance with its files in `data`. Returns its environment. */
function settings(data: string, origin: string): Record<string, string> {
  const path = `${data}/pretix.cfg`;
  Deno.writeTextFileSync(
    path,
    `[pretix]
url=${origin}
datadir=${data}
[database]
backend=sqlite3
name=${data}/db.sqlite3
[locale]
default=en
[django]
secret=${crypto.randomUUID()}
debug=off
`,
  );
  return { ...Deno.env.toObject(), PRETIX_CONFIG_FILE: path };
}

function countItems(path: string): Record<string, number> {
  return countSqliteRows(path, {
    products: "pretixbase_item where name like '%Green tea%'",
    "changed products": "pretixbase_item where name like '%Green tea%' and " +
      "description like '%Whistles too late.%'",
    quotas: "pretixbase_quota join pretixbase_quota_items on quota_id = pretixbase_quota.id " +
      "where name like 'Cups%' and size = 98",
    questions: "pretixbase_question where question like '%Which spoon%' and type = 'S'",
    vouchers: "pretixbase_voucher where tag like 'kettles%' and comment like 'For a friend%'",
    "ordered products": "(select distinct item_id from pretixbase_order " +
      "join pretixbase_orderposition on order_id = pretixbase_order.id " +
      "join pretixbase_item on item_id = pretixbase_item.id where email = 'grace@example.test' " +
      "and status = 'p' and pretixbase_item.name like '%Green tea%')",
    "created categories": "pretixbase_logentry where action_type = 'pretix.event.category.added'",
    categories: "pretixbase_itemcategory",
  });
}
