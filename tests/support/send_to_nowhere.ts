/**
 * Sends a request to a name that never resolves, and prints the error. Runs in a separate process
 * with its own permissions.
 */
import { sendOnce } from "./http_client.ts";

const { error, message } = await sendOnce("http://nonexistent.invalid/");
console.log(JSON.stringify({ error, message }));
