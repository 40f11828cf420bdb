/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />

/**
 * Calls `tell` with the message of whatever nobody in this thread caught, such as what a timer threw.
 * Otherwise Deno prints it by itself, raw and with its stack.
 */
export function onFault(tell: (message: string) => void): void {
  self.addEventListener("error", (event) => {
    event.preventDefault();
    tell(event.message);
  });
  self.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    tell(String(event.reason));
  });
}
