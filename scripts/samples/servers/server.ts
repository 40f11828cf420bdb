/** Folder and ports of a server that writes a sample log. */
export interface Site {
  /**
   * Folder for the server's configuration, content and log. Its subfolder `www` contains the files
   * to serve.
   */
  readonly folder: string;
  /** Port on 127.0.0.1 on which the server listens. */
  readonly port: number;
  /**
   * Port on 127.0.0.1 of an application that responds to every request. Used by servers that are
   * proxies.
   */
  readonly backend: number;
}

/** A web server that writes an access log. */
export interface LoggedServer {
  /** Product and the part of its configuration that determines the log format, in Markdown. */
  readonly origin: string;
  /** Command that prints the server's version. */
  readonly version: readonly string[];
  /** Files to write to the site's folder before the start, by path. */
  readonly files?: (site: Site) => Readonly<Record<string, string>>;
  /** Command that runs the server in the foreground, in the site's folder. */
  readonly command: (site: Site) => readonly string[];
  /** Commands to run with the server, such as a separate logger. */
  readonly helpers?: (site: Site) => readonly (readonly string[])[];
  /** Environment variables for the commands. */
  readonly env?: (site: Site) => Readonly<Record<string, string>>;
  /**
   * Path of the log in the site's folder, or the start of the path if it ends with the date. If
   * absent, the log consists of the lines on standard output and standard error that match
   * `isLine`.
   */
  readonly log?: string;
  /** Matches the lines of standard output and standard error that belong to the log. */
  readonly isLine?: RegExp;
  /**
   * True to send an extra request first and remove it from the log, because a server's first
   * response takes seconds.
   */
  readonly warmsUp?: boolean;
  /** Parts of a request that the log does not contain. */
  readonly lacks?: readonly ("client" | "status")[];
}
