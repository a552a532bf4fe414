import { useMemo, useState } from "react";
import type { Receipt } from "../../api/types";
import type { Colours } from "../../domain/colours";
import { plural, showCards, showMicro } from "../../domain/numbers";
import { namesUnder } from "../../domain/queue_tree";
import { showMoment, showSpan } from "../../domain/times";
import { Empty } from "../../parts/empty";
import { Swatch } from "../../parts/swatch";
import { WaitingFor } from "../../parts/waiting_for";
import { formatRoute, type Route } from "../../route/route";
import { useCluster, useJobs, useQueues, useReceipts } from "../../state/use_live";
import { concerns, kGrades, kRights, queueOfJobs, takenCards } from "./receipt_words";

const kRows = 100;

export function ReceiptsView({ route }: { route: Route }) {
  const receipts = useReceipts();
  const jobs = useJobs({});
  const { roots, colours } = useQueues();
  const { data: cluster } = useCluster();
  const [rows, setRows] = useState(kRows);
  const queueOf = useMemo(() => queueOfJobs(jobs.data?.items ?? []), [jobs.data]);
  if (!receipts.data) return <WaitingFor what="receipts" problem={receipts.problem} />;
  const lit = namesUnder(roots, route.queue);
  const shown = receipts.data.filter((one) => concerns(one, lit, queueOf)).reverse();
  if (shown.length === 0) {
    return (
      <Empty title="Nothing has been taken back">
        When a queue takes back what others borrowed, the receipt says here who gave what to whom,
        and at which price.
      </Empty>
    );
  }
  return (
    <section className="view" aria-label="Receipts of reclaims">
      <p className="note">
        {plural(shown.length, "receipt")}, the last first. The price is what the victims lose, in
        card-hours as the policy weighs them.
      </p>
      <ol className="receipts">
        {shown.slice(0, rows).map((receipt) => (
          <Line
            key={receipt.receipt}
            receipt={receipt}
            now={cluster?.now}
            queueOf={queueOf}
            colours={colours}
          />
        ))}
      </ol>
      {shown.length > rows ? (
        <button type="button" className="button more" onClick={() => setRows(rows + kRows)}>
          Show more
        </button>
      ) : null}
    </section>
  );
}

interface LineProps {
  receipt: Receipt;
  now: string | undefined;
  queueOf: ReadonlyMap<string, string>;
  colours: Colours;
}

const kTones: Record<string, string> = { open: "moves", granted: "good", expired: "bad" };

function Line({ receipt, now, queueOf, colours }: LineProps) {
  const took = receipt.ended_at_ms ? receipt.ended_at_ms - receipt.made_at_ms : undefined;
  const people = { queueOf, colours };
  return (
    <li className="receipt">
      <div className="receipt-when">
        <strong>#{receipt.receipt}</strong>
        <time className="muted">{showMoment(receipt.made_at_ms, now)}</time>
      </div>
      <div className="receipt-taker">
        <JobLink name={receipt.job} {...people} />
        <span className="muted">
          takes {showCards(takenCards(receipt))} {takenCards(receipt) === 1 ? "card" : "cards"}{" "}
          at{" "}
        </span>
        {receipt.place}
        <span className="muted receipt-right">{kRights[receipt.right] ?? receipt.right}</span>
      </div>
      <ul className="victims">
        {receipt.victims.map((victim) => (
          <li key={`${victim.job}/${victim.node}`}>
            <JobLink name={victim.job} {...people} />
            <span className="muted">
              gives {showCards(victim.cards_milli / 1000)} {victim.ownership} on {victim.node},{" "}
              {victim.target
                ? `moved to ${victim.target}`
                : (kGrades[victim.grade] ?? victim.grade)}
              , loses {showSpan(victim.lost_ms)}
            </span>
          </li>
        ))}
        {receipt.victims.length === 0 ? (
          <li className="muted">room that others have already been asked for</li>
        ) : null}
      </ul>
      <div className="receipt-price">
        <strong>{showMicro(receipt.price_micro)}</strong>
        <span className="muted">
          {typeof receipt.next_best_micro === "number"
            ? `next best ${showMicro(receipt.next_best_micro)}`
            : "card-hours"}
        </span>
      </div>
      <div className="receipt-outcome">
        <span className={`chip ${kTones[receipt.outcome] ?? "quiet"}`}>{receipt.outcome}</span>
        {took !== undefined ? <span className="muted">after {showSpan(took)}</span> : null}
      </div>
    </li>
  );
}

function JobLink(props: { name: string; queueOf: ReadonlyMap<string, string>; colours: Colours }) {
  const queue = props.queueOf.get(props.name);
  return (
    <a className="job-link" href={formatRoute({ view: "jobs", item: props.name })} title={queue}>
      <Swatch colour={queue ? props.colours.get(queue) : undefined} />
      {props.name}
    </a>
  );
}
