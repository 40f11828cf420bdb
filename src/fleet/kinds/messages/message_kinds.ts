import type * as z from "zod";
import { ack } from "./ack.ts";
import { beat } from "./beat.ts";
import { chunk } from "./chunk.ts";
import { chunkRequest } from "./chunk_request.ts";
import { claim } from "./claim.ts";
import { delta } from "./delta.ts";
import { done } from "./done.ts";
import { failed } from "./failed.ts";
import { hello } from "./hello.ts";
import { ping } from "./ping.ts";
import { pong } from "./pong.ts";
import { pulse } from "./pulse.ts";
import { ready } from "./ready.ts";
import { refusal } from "./refusal.ts";
import { welcome } from "./welcome.ts";

/** All kinds of messages, keyed by the value of `kind` in an encoded message. */
export const MESSAGE_KINDS = {
  ack,
  beat,
  chunk,
  chunk_request: chunkRequest,
  claim,
  delta,
  done,
  failed,
  hello,
  ping,
  pong,
  pulse,
  ready,
  refusal,
  welcome,
};

/** Definition of each kind of message. */
export type Kinds = typeof MESSAGE_KINDS;

/** Name of a kind of message. */
export type MessageName = keyof Kinds;

/** Content of a message of the given kind. */
export type MessageOf<Name extends MessageName> = z.infer<Kinds[Name]["schema"]>;

/** A message: its kind and its content. */
export type Message = { [Name in MessageName]: { kind: Name } & MessageOf<Name> }[MessageName];
