import { useState } from "react";
import { token } from "../api/token";
import { Dialog } from "../parts/dialog";
import { live } from "../state/live";

export function TokenForm({ onDone }: { onDone?: () => void }) {
  const [value, setValue] = useState("");
  const use = (next: string) => {
    live.useToken(next);
    onDone?.();
  };
  return (
    <form
      className="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        use(value);
      }}
    >
      <input
        type="password"
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-label="Token"
        placeholder="Token"
        onChange={(event) => setValue(event.target.value)}
      />
      <button type="submit" className="button primary" disabled={value.trim() === ""}>
        Use
      </button>
      {token() !== "" ? (
        <button type="button" className="button" onClick={() => use("")}>
          Forget it
        </button>
      ) : null}
    </form>
  );
}

export function TokenDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose}>
      <h2>Token</h2>
      <p className="muted">
        {token() === ""
          ? "No token is sent. A server in dev mode needs none."
          : "A token is sent with each request. It is kept in this tab only."}
      </p>
      <TokenForm onDone={onClose} />
    </Dialog>
  );
}
