import type { Page } from "./browser.ts";

/** A third-party application, with a user's session in it. */
export interface Application {
  readonly name: string;
  /** Installs the application in `folder`, without data, and starts it. */
  start(folder: string): Promise<Started>;
  /**
   * A line of the converted plan, and the line to replace it with, so that each VU logs in as a
   * different user. Absent if all VUs can log in as the same user.
   */
  readonly perUser?: readonly [recorded: string, perUser: string];
  /** Performs the session in the browser while it is recorded. */
  session(page: Page, origin: string): Promise<void>;
}

/** A running application. */
export interface Started {
  readonly origin: string;
  /** Returns the number of items that the session creates in the application, by kind. */
  counts(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}
