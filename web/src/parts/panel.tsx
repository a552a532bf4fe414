import { useEffect, useRef, type ReactNode } from "react";

/** The details of one thing, beside the list that it is of. Escape closes it. */
export function Panel(props: {
  title: ReactNode;
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const { title, label, onClose, children } = props;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
  }, [label]);
  return (
    <aside
      ref={box}
      className="panel"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) onClose();
      }}
    >
      <header className="panel-head">
        <h2>{title}</h2>
        <button type="button" className="icon-button" onClick={onClose} aria-label="Close">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M4 4l8 8M12 4l-8 8" />
          </svg>
        </button>
      </header>
      <div className="panel-body">{children}</div>
    </aside>
  );
}
