import type { Clock } from "../../engine/clock/clock.ts";
import { checkSendable } from "../../http/encode_request.ts";
import { exchangeFault } from "../../http/exchange_error.ts";
import {
  clearResponse,
  type HttpResponse,
  type HttpSession,
  type Outgoing,
  type Sender,
} from "../../http/sender.ts";
import type { MockResponse } from "./mock_response.ts";
import type { Arrived } from "./sent_call.ts";
import type { Exchanged, MockServer } from "./mock_server.ts";

/** Called for every exchange. */
export type Observer = (arrived: Arrived, exchanged: Exchanged) => void;

/** Creates a sender that sends requests only to the mock server. */
export function mockSender(mockServer: MockServer, clock: Clock, observe: Observer): Sender {
  return {
    open: (user = "") => open(mockServer, user, clock, observe),
    close() {},
  };
}

function open(mockServer: MockServer, user: string, clock: Clock, observe: Observer): HttpSession {
  let cut = () => {};
  return {
    send(request, response) {
      const startedAt = clock.now();
      clearResponse(response, startedAt);
      if (!isSendable(request, response)) return Promise.resolve();
      const arrived = arrivedFrom(request);
      const exchanged = mockServer.exchange(arrived, user);
      observe(arrived, exchanged);
      const ms = recordedMs(exchanged);
      return new Promise((resolve) => {
        const cancel = clock.at(startedAt + ms, () => {
          fillResponse(response, exchanged.response, ms);
          resolve();
        });
        cut = () => {
          cancel();
          response.error = "cancelled";
          resolve();
        };
      });
    },
    branch: () => open(mockServer, user, clock, observe),
    close: () => cut(),
  };
}

/** Reports whether a real client could send the request; otherwise sets the error of the response. */
function isSendable(request: Outgoing, response: HttpResponse): boolean {
  try {
    checkSendable(request);
    return true;
  } catch (error) {
    const { kind, message } = exchangeFault(error);
    response.error = kind;
    response.message = message;
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

/** Returns the duration of the recorded call, at least 1 ms, so that time-based loops end. */
function recordedMs({ call }: Exchanged): number {
  return call === undefined ? 1 : Math.max(1, call.exchange.endedAt - call.exchange.startedAt);
}

function fillResponse(
  response: HttpResponse,
  { status, headers, body }: MockResponse,
  ms: number,
): void {
  response.status = status;
  response.headers = headers.map(([name, value]) => [name, value]);
  response.body = body;
  response.bodySize = response.bytesReceived = body.length;
  response.waitingMs = ms;
}
