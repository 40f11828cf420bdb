/**
 * WebSocket messages, and the JSON that each contains inside the frame of a protocol: the text that
 * Socket.IO, for example, adds around the JSON. The JSON is undefined if a message is JSON without
 * a frame, or only resembles a message with a frame.
 */
export const MESSAGES: readonly (readonly [text: string, json: string | undefined])[] = [
  // JSON without a frame.
  ['{"id":7}', undefined],
  ['[{"id":7},\n {"id":8}]', undefined],
  ['{"id":7}\n', undefined],
  ["", undefined],
  ["42", undefined],
  ["hello", undefined],
  // Engine.IO.
  ['0{"sid":"a1","upgrades":[]}', '{"sid":"a1","upgrades":[]}'],
  ['4{"id":7}', '{"id":7}'],
  ["4[1,2]", "[1,2]"],
  ["2probe", undefined],
  ['1{"id":7}', undefined],
  ["0[1]", undefined],
  // Socket.IO.
  ['40{"sid":"a1"}', '{"sid":"a1"}'],
  ['40/admin,{"sid":"a1"}', '{"sid":"a1"}'],
  ["40", undefined],
  ['42["created",{"id":7}]', '["created",{"id":7}]'],
  ['42/a?b=c,17["created",{"id":7}]', '["created",{"id":7}]'],
  ['430[{"id":7}]', '[{"id":7}]'],
  ["43/admin,12[]", "[]"],
  ['44{"message":"no"}', '{"message":"no"}'],
  ['451-["file",{"_placeholder":true,"num":0}]', '["file",{"_placeholder":true,"num":0}]'],
  ['462-/admin,3["x"]', '["x"]'],
  ['42{"id":7}', undefined],
  ['42 ["created"]', undefined],
  ['42["created"', undefined],
  ['42["created"] and more', undefined],
  ['45["file"]', undefined],
  ['47["created"]', undefined],
  ['142["created"]', undefined],
  // SockJS.
  ['a["{\\"id\\":7}"]', '[{"id":7}]'],
  ['a["{\\"id\\":7}","text","[1]"]', '[{"id":7},"text",[1]]'],
  ['a["42[\\"created\\",{\\"id\\":7}]"]', '[["created",{"id":7}]]'],
  ['a["RECEIPT\\nid:1\\n\\n{\\"id\\":9007199254740993}\\u0000"]', '[{"id":9007199254740993}]'],
  ["a[]", "[]"],
  ['a[{"id":7}]', undefined],
  ['a["x"', undefined],
  ['b["{\\"id\\":7}"]', undefined],
  ['c[3000,"Go away!"]', undefined],
  ["o", undefined],
  // STOMP.
  ['MESSAGE\nid:m-1\ndestination:/a\n\n{"id":7}\0', '{"id":7}'],
  ['SEND\r\nid:m-1\r\n\r\n{"id":7}\0\n', '{"id":7}'],
  ['ERROR\n\n{"id":7}\0', '{"id":7}'],
  ["MESSAGE\nid:m-1\n\nhello\0", undefined],
  ['MESSAGE\nid:m-1\n\n{"id":7}', undefined],
  ['MESSAGE\nid\n\n{"id":7}\0', undefined],
  ['Message\nid:m-1\n\n{"id":7}\0', undefined],
  ['GREETING\nid:m-1\n\n{"id":7}\0', undefined],
  // Several JSON texts.
  ['{"id":7}\x1e', '{"id":7}'],
  ['{"id":7}\x1e{"type":6}\x1e', '[{"id":7},{"type":6}]'],
  ['{"id":7}\n[8]\r\n\n', '[{"id":7},[8]\r]'],
  ['{"id":7}\nbye', undefined],
  ['{"id":7}\x1ebye', undefined],
  ['\x1e{"id":7}', undefined],
  ["{draft}\n[x]", undefined],
];
