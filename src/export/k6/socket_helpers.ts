import { END, HEAD, PACKET } from "../../base/frames.ts";
import type { Helper } from "./helper.ts";

/** Functions that use WebSockets. */
export const SOCKET_HELPERS = {
  withSocket: {
    source:
      `// Opens a WebSocket, runs steps that use it, and closes it. If it cannot be opened or ends early, the
// other steps are skipped.
async function withSocket(url, protocols, socketParams, steps) {
  const socket = new WebSocket(url, protocols, socketParams);
  socket.binaryType = 'arraybuffer';
  const messages = [];
  let isOpen = false;
  let isClosed = false;
  let isClosing = false;
  let notify = () => {};
  socket.onopen = () => notify((isOpen = true));
  socket.onclose = () => notify((isClosed = true));
  socket.onerror = ({ error }) => {
    if (!isClosing) console.warn(\`WebSocket: \${error}\`);
    notify((isClosed = true));
  };
  socket.onmessage = ({ data }) => notify(messages.push(data));

  // Waits for an event of the WebSocket until a time. Returns true if none arrived by then.
  const change = (end) => new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), Math.max(0, end - Date.now()));
    notify = () => {
      clearTimeout(timer);
      resolve(false);
    };
  });
  const requireOpen = () => {
    if (isClosed) throw new Error('the WebSocket is closed');
  };
  const connection = {
    send(message) {
      requireOpen();
      socket.send(message);
    },
    // Returns the first message that meets the condition, in the form of a response.
    async expect(condition, seconds) {
      for (const end = Date.now() + seconds * 1000; ; ) {
        while (messages.length > 0) {
          const message = messageResponse(messages.shift());
          if (condition(message)) return message;
        }
        requireOpen();
        if (await change(end)) return noResponse();
      }
    },
    async wait(seconds) {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
        requireOpen();
        await change(end);
      }
    },
    async close(code, reason) {
      isClosing = true;
      if (!isClosed) socket.close(code, reason);
      for (const end = Date.now() + 1000; !isClosed && Date.now() < end; ) await change(end);
    },
  };
  const end = Date.now() + 30000;
  while (!isOpen && !isClosed && !(await change(end)));
  if (!isOpen || isClosed) return;
  try {
    await steps(connection);
    await connection.close(1000, '');
  } catch (error) {
    if (!isClosed) throw error;
  }
}

// Returns a message in the form of a response, so that the same conditions can test it.
function messageResponse(data) {
  const body = typeof data === 'string' ? data : b64decode(b64encode(data), 'std', 's');
  const payload = messageJson(body);
  const json = (path) => {
    const [plain, modifier] = path.split('|');
    let value = JSON.parse(payload);
    for (const key of plain === '@this' ? [] : plain.split('.')) value = value?.[key];
    return modifier === undefined ? value : JSON.stringify(value);
  };
  return { ...noResponse(), status: 101, body, payload, json };
}

// Returns the JSON text of a message, without the frame that Engine.IO, Socket.IO, SockJS, STOMP or
// SignalR add to it. Returns any other message unchanged.
function messageJson(text) {
  if (isJson(text)) return text;
  const packet = /${PACKET.source}/.exec(text);
  if (packet && isJson(text.slice(packet[0].length))) return text.slice(packet[0].length);
  const [head] = /${HEAD.source}/.exec(text) || [];
  const body = head && /${END.source}/.test(text) ? text.slice(head.length).replace(/${END.source}/, '') : '';
  if (isJson(body)) return body;
  if (text.startsWith('a[') && isJson(text.slice(1))) {
    const messages = JSON.parse(text.slice(1));
    const item = (message) => (isJson(messageJson(message)) ? messageJson(message) : JSON.stringify(message));
    if (messages.every((message) => typeof message === 'string')) return \`[\${messages.map(item)}]\`;
  }
  if (!/^\\s*[[{]/.test(text)) return text;
  const records = text.split(text.includes('\\x1e') ? '\\x1e' : '\\n').filter((record) => record.trim());
  if (!records.every(isJson)) return text;
  return records.length === 1 ? records[0] : \`[\${records}]\`;
}

function isJson(text) {
  try {
    return /^\\s*[[{]/.test(text) && JSON.parse(text) !== null;
  } catch (_error) {
    return false;
  }
}`,
    uses: ["noResponse"],
    imports: [
      ["k6/websockets", "WebSocket"],
      ["k6/encoding", "b64decode"],
      ["k6/encoding", "b64encode"],
    ],
  },
} as const satisfies Readonly<Record<string, Helper>>;
