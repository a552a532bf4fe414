const kWidth = 96;
const kHeight = 22;

/** Values from 0 to 1, the oldest first, as a line. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return null;
  const step = kWidth / (values.length - 1);
  const points = values.map(
    (v, i) => `${(i * step).toFixed(1)},${(1 + (1 - v) * (kHeight - 2)).toFixed(1)}`,
  );
  return (
    <svg className="sparkline" viewBox={`0 0 ${kWidth} ${kHeight}`} role="img" aria-label={label}>
      <polygon points={`0,${kHeight} ${points.join(" ")} ${kWidth},${kHeight}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
