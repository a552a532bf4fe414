import { live } from "../state/live";
import type { ConnectionState as State } from "../state/store";
import { useConnection } from "../state/use_live";

const kWords: Record<State, string> = {
  connecting: "Connecting",
  live: "Live",
  broken: "Not connected",
  refused: "Token needed",
};

export function ConnectionState() {
  const { state } = useConnection();
  return (
    <button
      type="button"
      className={`connection connection-${state}`}
      onClick={() => live.reconnect()}
      title={state === "live" ? "Connected; press to connect anew" : "Press to connect now"}
    >
      <span className="connection-dot" aria-hidden="true" />
      <span aria-live="polite">{kWords[state]}</span>
    </button>
  );
}
