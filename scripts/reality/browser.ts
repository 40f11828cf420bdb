/** The part of playwright-core's `Page` that the sessions use. */
export interface Page {
  goto(url: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  press(selector: string, key: string): Promise<void>;
  selectOption(selector: string, option: { label: string }): Promise<unknown>;
  waitForSelector(selector: string): Promise<unknown>;
  waitForURL(url: RegExp): Promise<void>;
  waitForResponse(is: (response: Response) => boolean): Promise<unknown>;
  waitForLoadState(state: "networkidle"): Promise<void>;
  readonly keyboard: { type(text: string): Promise<void> };
}

interface Response {
  request(): { method(): string };
}

interface Context {
  newPage(): Promise<Page>;
  setDefaultTimeout(ms: number): void;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: string[] }): Promise<{
      newContext(options: { recordHar: { path: string; content: "embed" } }): Promise<Context>;
      close(): Promise<void>;
    }>;
  };
}

// A constant, so that only a recording downloads the library.
const PLAYWRIGHT = "npm:playwright-core@1.65.1";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Runs `session` in Debian's Chromium and records it to a HAR with response bodies. */
export async function recordHar(
  path: string,
  session: (page: Page) => Promise<void>,
): Promise<void> {
  const { chromium } = await import(PLAYWRIGHT) as Playwright;
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  try {
    const context = await browser.newContext({ recordHar: { path, content: "embed" } });
    context.setDefaultTimeout(20_000);
    await session(await context.newPage());
    await context.close();
  } finally {
    await browser.close();
  }
}
