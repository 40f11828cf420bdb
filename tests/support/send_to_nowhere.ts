/** Sends to a name that never has an address, and prints the fault: run with a permission of its own. */
import { sendOnce, testRequest } from "./http_client.ts";

const { error, message } = await sendOnce(testRequest("http://nonexistent.invalid/"));
console.log(JSON.stringify({ error, message }));
