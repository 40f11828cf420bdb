/** Sends to a name that never resolves and prints the fault. A script, so that it has its own permissions. */
import { sendOnce, testRequest } from "./http_client.ts";

const { error, message } = await sendOnce(testRequest("http://nonexistent.invalid/"));
console.log(JSON.stringify({ error, message }));
