import type { Page } from "./browser.ts";

/** An application that nobody here wrote, and what somebody does with it. */
export interface Application {
  readonly name: string;
  /** Installs and starts it, empty, in a folder of its own. */
  start(folder: string): Promise<Started>;
  /**
   * The line of the plan to replace, and by what, so that each user is a user of the application; none
   * where all may be the same.
   */
  readonly perUser?: readonly [recorded: string, perUser: string];
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
