import { describe, expect, test } from "vitest";
import { SseReader } from "./sse";

describe("server-sent events", () => {
  test("come whole out of any pieces", () => {
    const text = ': hello\n\nid: 7\nevent: job-held\ndata: {"a":\ndata: 1}\n\nid: 8\ndata: x\n\n';
    for (let size = 1; size <= text.length; ++size) {
      const reader = new SseReader();
      const messages = [];
      for (let at = 0; at < text.length; at += size) {
        messages.push(...reader.push(text.slice(at, at + size)));
      }
      expect(messages).toEqual([
        { id: "7", type: "job-held", data: '{"a":\n1}' },
        { id: "8", type: "message", data: "x" },
      ]);
    }
  });
  test("heartbeats and half messages are none", () => {
    const reader = new SseReader();
    expect(reader.push(":\n\n: beat\n\n")).toEqual([]);
    expect(reader.push("data: x")).toEqual([]);
    expect(reader.push("\r\n\r\n")).toEqual([{ type: "message", data: "x" }]);
  });
});
