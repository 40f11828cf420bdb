/**
 * Load generator on `node:http2`, for engine.ts: it counts responses, and does nothing else.
 *
 *     deno run -A scripts/bench/node_http2.ts URL CONNECTIONS STREAMS SECONDS
 */
import { connect } from "node:http2";

const [url, ...numbers] = Deno.args;
const [connections, streams, seconds] = numbers.map(Number);
const { origin, pathname } = new URL(url);
const end = performance.now() + seconds * 1_000;
let count = 0;

for (let i = 0; i < connections; i++) {
  const session = connect(origin, { rejectUnauthorized: false });
  const send = () => {
    const stream = session.request({ ":path": pathname });
    stream.on("data", () => {});
    stream.on("end", () => {
      count++;
      if (performance.now() < end) return send();
      console.log(`${count / seconds} requests/s`);
      Deno.exit();
    });
  };
  for (let j = 0; j < streams; j++) send();
}
