/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />

/**
 * Calls `report` with the message of each uncaught error in this thread, such as an error that a
 * timer throws. Without this listener, Deno prints the error with a stack trace and unescaped text.
 */
export function onFault(report: (message: string) => void): void {
  self.addEventListener("error", (event) => {
    event.preventDefault();
    report(event.message);
  });
  self.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    report(String(event.reason));
  });
}
