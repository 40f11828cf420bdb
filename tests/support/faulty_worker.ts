import { onFault } from "../../src/engine/shard_worker.ts";

// A worker that throws an uncaught error in a timer or in a promise, depending on the message.
onFault((message) => self.postMessage(message));
self.onmessage = ({ data }: MessageEvent<"timer" | "promise">) => {
  if (data === "timer") setTimeout(() => fail());
  else Promise.resolve().then(fail);
};

function fail(): never {
  throw new Error("out of luck");
}
