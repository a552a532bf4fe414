import { useEffect, useState } from "react";
import { showMoment, showSpan } from "../domain/times";
import { live } from "../state/live";
import { useCluster, useConnection } from "../state/use_live";
import { TokenForm } from "./token_dialog";

/** Redraws each second while it is there. */
function useWallClock(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  return now;
}

/** Says that what is on the screen may be old, and since when. */
export function ConnectionBanner() {
  const { state } = useConnection();
  if (state === "broken") return <Broken />;
  if (state !== "refused") return null;
  return (
    <section className="banner banner-refused" aria-label="Token">
      <p>This server asks for a token. It is kept in this tab only and goes when you close it.</p>
      <TokenForm />
    </section>
  );
}

function Broken() {
  const connection = useConnection();
  const { fetchedAt } = useCluster();
  const now = useWallClock();
  const wait = Math.max(0, Math.ceil((connection.retryAt - now) / 1000));
  return (
    <section className="banner banner-broken" role="alert">
      <p>
        <strong>Not connected since {showMoment(connection.since)}:</strong> {connection.problem}.{" "}
        {fetchedAt > 0 ? `What you see is ${showSpan(now - fetchedAt)} old. ` : ""}
        {wait > 0 ? `Next try in ${wait} s.` : "Trying again."}
      </p>
      <button type="button" className="button" onClick={() => live.reconnect()}>
        Try now
      </button>
    </section>
  );
}
