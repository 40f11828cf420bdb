/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />

/**
 * Calls `report` with the message of each uncaught error in this thread, such as one thrown by a
 * timer. Otherwise Deno prints the error itself, with a stack and unsanitised.
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
