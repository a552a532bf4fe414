// One connection to /v1/events/stream, until it ends. Whoever calls it decides when to connect again.
import { ApiError } from "./client";
import { SseReader } from "./sse";
import { authorization } from "./token";
import type { ClusterEvent } from "./types";

// The server sends a heartbeat each 15 s (src/server/event_hub.h); after three the line is dead.
const kSilenceMs = 45_000;

export interface StreamCalls {
  onOpen: () => void;
  onEvent: (event: ClusterEvent) => void;
}

/** Ends with an error, or without one when the server closes the stream. */
export async function readEvents(
  lastEvent: number | undefined,
  calls: StreamCalls,
  signal: AbortSignal,
): Promise<void> {
  const silence = new AbortController();
  let timer = window.setTimeout(() => silence.abort(), kSilenceMs);
  const heard = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => silence.abort(), kSilenceMs);
  };
  try {
    const response = await fetch("/v1/events/stream", {
      headers: {
        Accept: "text/event-stream",
        ...authorization(),
        ...(lastEvent === undefined ? {} : { "Last-Event-ID": String(lastEvent) }),
      },
      cache: "no-store",
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || !response.body)
      throw new ApiError(response.status, await refusal(response));
    calls.onOpen();
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const reader = new SseReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return;
      heard();
      for (const message of reader.push(value)) {
        if (message.type === "error") throw new ApiError(0, message.data);
        calls.onEvent(JSON.parse(message.data) as ClusterEvent);
      }
    }
  } finally {
    window.clearTimeout(timer);
  }
}

async function refusal(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { error?: { message?: string } };
    return body.error?.message ?? response.statusText;
  } catch {
    return response.statusText;
  }
}
