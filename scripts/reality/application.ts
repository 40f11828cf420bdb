import type { Page } from "./browser.ts";

/**
 * A third-party application, and a session that a user performs in it. To add an application, write
 * a file in `applications` and register it in `applications.ts`.
 */
export interface Application {
  /** Name of the application on the command line, and of its recording. */
  readonly name: string;
  /** Name, version and kind of the application, for docs/REALITY.md. */
  readonly title: string;
  /** Steps of the session in words. */
  readonly steps: string;
  /**
   * Name of the account that logs in during the session. Ends in `1`. The measured plan logs in as
   * a different user in each VU, with the number of the VU in place of the `1`. Absent if the
   * session has no login.
   */
  readonly user?: string;
  /** Number of consecutive ports that the application listens on (default: 1). */
  readonly ports?: number;
  /**
   * Installs the programs of the application in `folder`, without data. Called only once, because
   * the folder is cached and becomes read-only.
   */
  install(folder: string): Promise<void>;
  /**
   * Starts the application on a new database. If the session has a login, two users can log in:
   * their names end in `1` and `2`. Called for the recording and for each measured plan.
   */
  start(place: Place): Promise<Started>;
  /** Performs the session in the browser that is being recorded. */
  session(page: Page, place: Place): Promise<void>;
  /** Number of items, by kind, that one session adds to `counts`. */
  readonly adds: Readonly<Record<string, number>>;
}

/** Folders, port and origin of an installed application. */
export interface Place {
  /** Folder that contains what `install` installed. */
  readonly installed: string;
  /** Empty folder for the data. Removed after the application has been stopped. */
  readonly data: string;
  /** First of the consecutive ports on 127.0.0.1. */
  readonly port: number;
  /** Origin of the first port, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
}

/** A running application. */
export interface Started {
  /**
   * Returns the current number of items in the application, by kind. Counts only the kinds that
   * sessions create.
   */
  counts(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}
