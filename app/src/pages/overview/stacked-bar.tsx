interface StackedBarProps {
  /** Parts of the bar from the left. What they leave of the total stays empty. */
  parts: readonly { color: string; count: number }[];
  total: number;
  /** The bar in words. */
  label: string;
}

/** Parts of a total, one beside the other. */
export const StackedBar = ({ parts, total, label }: StackedBarProps) => (
  <div className="stacked-bar" role="img" aria-label={label}>
    {parts.map(({ color, count }) => (
      <span key={color} style={{ width: `${total === 0 ? 0 : (count / total) * 100}%`, background: color }} />
    ))}
  </div>
);
