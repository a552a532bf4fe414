// Server-sent events out of the pieces in which they arrive. EventSource itself cannot send a token.

export interface Message {
  id?: string;
  type: string;
  data: string;
}

export class SseReader {
  #rest = "";

  /** The messages that the piece completes. Comments, the heartbeats, are none. */
  push(piece: string): Message[] {
    this.#rest += piece;
    const blocks = this.#rest.split(/\r\n\r\n|\n\n/);
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => messageOf(block) ?? []);
  }
}

function messageOf(block: string): Message | undefined {
  const data: string[] = [];
  const message: Message = { type: "message", data: "" };
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "id") message.id = value;
    else if (name === "event") message.type = value;
  }
  if (data.length === 0) return undefined;
  message.data = data.join("\n");
  return message;
}
