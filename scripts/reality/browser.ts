import type { Buffer } from "node:buffer";
import { UploadTee } from "./upload_bodies.ts";

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
  waitForTimeout(ms: number): Promise<void>;
  waitForLoadState(state: "networkidle"): Promise<void>;
  setInputFiles(selector: string, files: readonly UploadedFile[]): Promise<void>;
  screenshot(options: { path: string }): Promise<unknown>;
  url(): string;
  /** Waits for a page that this page opens. */
  waitForEvent(event: "popup"): Promise<Page>;
  /** Waits for a dialog that asks for a file. */
  waitForEvent(event: "filechooser"): Promise<FileChooser>;
  close(): Promise<void>;
  /** Calls `handle` for each `alert` and `confirm`. */
  on(event: "dialog", handle: (dialog: Dialog) => Promise<void>): void;
  readonly keyboard: { type(text: string): Promise<void> };
}

/** A file that the user selects in a form. */
interface UploadedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

interface FileChooser {
  setFiles(files: readonly UploadedFile[]): Promise<void>;
}

interface Dialog {
  accept(): Promise<void>;
}

interface Response {
  request(): { method(): string };
  url(): string;
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
  ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];

/**
 * Runs `session` in Debian's Chromium and records it to a HAR with the bodies of requests and
 * responses. `port` is the port of the application. If the session fails, saves a screenshot next
 * to `path` and throws an Error.
 */
export async function recordHar(
  path: string,
  port: number,
  session: (page: Page) => Promise<void>,
): Promise<void> {
  const { chromium } = await import(PLAYWRIGHT) as Playwright;
  const tee = new UploadTee(port);
  const rule = `--host-resolver-rules=MAP 127.0.0.1:${port} 127.0.0.1:${tee.port}`;
  const args = [...FLAGS, rule];
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  try {
    const context = await browser.newContext({ recordHar: { path, content: "embed" } });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.on("dialog", (dialog) => dialog.accept());
    try {
      await session(page);
    } catch (error) {
      await page.screenshot({ path: path.replace(/har$/, "png") });
      throw new Error(`the session failed at ${page.url()}`, { cause: error });
    }
    await context.close();
  } finally {
    await browser.close();
    tee.close();
  }
  tee.addBodies(path);
}
