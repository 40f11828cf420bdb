import type { Page } from "./browser.ts";

/** An application that nobody here wrote, and what somebody does with it. */
export interface Application {
  readonly name: string;
  /** Installs and starts it, empty, in a folder of its own. */
  start(folder: string): Promise<Started>;
  /** What is done in the browser while it is recorded. */
  journey(page: Page, origin: string): Promise<void>;
}

/** A running application. */
export interface Started {
  readonly origin: string;
  /** How much of what the journey makes stands in the application now: one line's name and count each. */
  standing(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}
