import type { Application } from "../application.ts";
import { installFromPyPi } from "../packages.ts";
import { startService } from "../service.ts";

const LEDGER = `option "title" "Tea house"
option "operating_currency" "EUR"
2026-01-01 open Assets:Cash EUR
2026-01-01 open Expenses:Tea EUR
2026-01-02 * "Tea shop" "A box of Assam"
  Expenses:Tea  10.00 EUR
  Assets:Cash
`;
const NARRATION = "A box of Darjeeling";

/**
 * A single-page application whose JSON API accepts a change only with the hash of the current text.
 */
export const fava: Application = {
  name: "fava",
  title: "Fava 1.30: single-page application, changes with the hash of the changed text, Python",
  steps: "look at reports, add a transaction, change its text in the journal, look at a report",
  install: (folder) => installFromPyPi(folder, ["fava==1.30.16", "beancount==3.2.3"]),
  async start({ installed, data, port }) {
    const ledger = `${data}/tea.beancount`;
    Deno.writeTextFileSync(ledger, LEDGER);
    const address = ["--host", "127.0.0.1", "--port", String(port)];
    const server = [`${installed}/venv/bin/fava`, ...address, ledger];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    return { counts: () => Promise.resolve(countEntries(ledger)), stop };
  },
  adds: { transactions: 1, "checked transactions": 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/tea-house/journal/`);
    await page.waitForLoadState("networkidle");
    await page.click("a[href='#add-transaction'] >> visible=true");
    await page.waitForSelector("input[placeholder=Payee]");
    await page.fill("input[placeholder=Payee]", "Tea shop");
    await page.fill("input[placeholder=Narration]", NARRATION);
    await page.fill("form input[placeholder=Account] >> nth=0", "Expenses:Tea");
    await page.fill("form input[placeholder=Amount] >> nth=0", "12.00 EUR");
    await page.fill("form input[placeholder=Account] >> nth=1", "Assets:Cash");
    await page.click("form button:text-is('Save')");
    await page.waitForSelector(`text=${NARRATION}`);
    await page.waitForLoadState("networkidle");
    await page.click(`li:has-text('${NARRATION}') a[href^='#context-']`);
    await page.waitForSelector(".cm-content");
    await page.waitForLoadState("networkidle");
    await page.click(".cm-content");
    await page.keyboard.type("; Checked. ");
    const saved = page.waitForResponse((response) =>
      response.request().method() === "PUT" && response.url().endsWith("/source_slice")
    );
    await page.click("form button:text-is('Save') >> visible=true");
    await saved;
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/tea-house/balance_sheet/`);
    await page.waitForLoadState("networkidle");
  },
};

function countEntries(path: string): Record<string, number> {
  const text = Deno.readTextFileSync(path);
  const count = (part: string) => text.split(part).length - 1;
  return { transactions: count(NARRATION), "checked transactions": count("; Checked.") };
}
