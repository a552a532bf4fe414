import { useState } from "react";
import { api } from "../../api/client";
import type { Changed, Job } from "../../api/types";
import { showCards, toCards } from "../../domain/numbers";
import { Dialog } from "../../parts/dialog";
import { live } from "../../state/live";

interface Action {
  verb: string; // on the button
  asks: string;
  says: (job: Job) => string; // what it does, before it is done
  done: (job: Job) => string;
  run: (name: string) => Promise<Changed>;
  isGrave?: boolean;
}

const kHold: Action = {
  verb: "Hold",
  asks: "Hold this job?",
  says: () => "It will not be started until it is released. What runs of it goes on.",
  done: (job) => `${job.name} is held`,
  run: api.hold,
};
const kRelease: Action = {
  verb: "Release",
  asks: "Release this job?",
  says: () => "It may start as soon as it is its turn and there is room.",
  done: (job) => `${job.name} is released`,
  run: api.release,
};
const kCancel: Action = {
  verb: "Cancel job",
  asks: "Cancel this job?",
  says: (job) =>
    job.running_tasks > 0
      ? `Its ${showCards(toCards(job.cards))} cards are taken back, and what it has not saved is lost. This cannot be undone.`
      : "It leaves the queue for good. This cannot be undone.",
  done: (job) => `${job.name} is cancelled`,
  run: api.cancel,
  isGrave: true,
};

export function JobActions({ job }: { job: Job }) {
  const [asked, setAsked] = useState<Action>();
  const [told, setTold] = useState("");
  const actions = [job.held ? kRelease : kHold, kCancel];
  return (
    <div className="actions">
      {actions.map((action) => (
        <button
          key={action.verb}
          type="button"
          className={`button ${action.isGrave ? "grave" : ""}`}
          onClick={() => {
            setTold("");
            setAsked(action);
          }}
        >
          {action.verb}
        </button>
      ))}
      <span className="action-told muted" role="status">
        {told}
      </span>
      {asked ? (
        <Confirm
          job={job}
          action={asked}
          onClose={() => setAsked(undefined)}
          onDone={(changed) => {
            setTold(`${asked.done(job)} (revision ${changed.revision})`);
            setAsked(undefined);
          }}
        />
      ) : null}
    </div>
  );
}

function Confirm(props: {
  job: Job;
  action: Action;
  onClose: () => void;
  onDone: (changed: Changed) => void;
}) {
  const { job, action, onClose, onDone } = props;
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const run = async () => {
    setIsBusy(true);
    setProblem("");
    try {
      onDone(await action.run(job.name));
      live.touchAll();
    } catch (failed) {
      setProblem(failed instanceof Error ? failed.message : String(failed));
      setIsBusy(false);
    }
  };
  return (
    <Dialog onClose={onClose}>
      <h2>{action.asks}</h2>
      <p>
        <strong>{job.name}</strong> of {job.queue}. {action.says(job)}
      </p>
      {problem ? (
        <p className="problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose} autoFocus>
          Leave it
        </button>
        <button
          type="button"
          className={`button ${action.isGrave ? "grave-full" : "primary"}`}
          disabled={isBusy}
          onClick={() => void run()}
        >
          {action.verb}
        </button>
      </div>
    </Dialog>
  );
}
