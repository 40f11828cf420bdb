import type { Clock } from "../engine/clock.ts";
import { checkSendable } from "../engine/http/encode_request.ts";
import { exchangeFault } from "../engine/http/network_fault.ts";
import { clearResponse } from "../engine/http/new_response.ts";
import type { HttpResponse, HttpSession, Outgoing, Sender } from "../engine/sender.ts";
import type { MockResponse } from "./mock_response.ts";
import type { Arrived } from "./sent_call.ts";
import type { Exchanged, MockServer } from "./mock_server.ts";

/** Sees every exchange. */
export type Observer = (arrived: Arrived, exchanged: Exchanged) => void;

/** A sender that reaches nothing but the stand-in. */
export function mockSender(standIn: MockServer, clock: Clock, observe: Observer): Sender {
  return {
    open: (user = "") => open(standIn, user, clock, observe),
    close() {},
  };
}

function open(standIn: MockServer, user: string, clock: Clock, observe: Observer): HttpSession {
  let cut = () => {};
  return {
    send(request, reply) {
      const startedAt = clock.now();
      clearResponse(reply, startedAt);
      if (!isSendable(request, reply)) return Promise.resolve();
      const arrived = arrivedFrom(request);
      const exchanged = standIn.exchange(arrived, user);
      observe(arrived, exchanged);
      const ms = recordedMs(exchanged);
      return new Promise((resolve) => {
        const cancel = clock.at(startedAt + ms, () => {
          fillReply(reply, exchanged.answer, ms);
          resolve();
        });
        cut = () => {
          cancel();
          reply.error = "cancelled";
          resolve();
        };
      });
    },
    branch: () => open(standIn, user, clock, observe),
    close: () => cut(),
  };
}

/** Whether a network would take the request; otherwise the reply says why not. */
function isSendable(request: Outgoing, reply: HttpResponse): boolean {
  try {
    checkSendable(request);
    return true;
  } catch (error) {
    const { kind, message } = exchangeFault(error);
    reply.error = kind;
    reply.message = message;
    return false;
  }
}

function arrivedFrom({ method, origin, target, headers, body }: Outgoing): Arrived {
  const path = target.startsWith("/") ? target : `/${target}`;
  return {
    method,
    url: `${origin.secure ? "https" : "http"}://${origin.authority}${path}`,
    headers: headers.map(([name, value]) => ({ name, value })),
    body,
  };
}

/** As long as the recorded call took: time passes for loops that look at it. */
function recordedMs({ call }: Exchanged): number {
  return call === undefined ? 1 : Math.max(1, call.exchange.endedAt - call.exchange.startedAt);
}

function fillReply(reply: HttpResponse, { status, headers, body }: MockResponse, ms: number): void {
  reply.status = status;
  reply.headers = headers.map(([name, value]) => [name, value]);
  reply.body = body;
  reply.bodySize = reply.bytesReceived = body.length;
  reply.waitingMs = ms;
}
