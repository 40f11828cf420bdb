/**
 * Sends to a name that never has an address and prints the error. Run in a separate process, with
 * its own permissions.
 */
import { sendOnce, testRequest } from "./http_client.ts";

const { error, message } = await sendOnce(testRequest("http://nonexistent.invalid/"));
console.log(JSON.stringify({ error, message }));
