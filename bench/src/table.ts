/** One line of the result. `aim` and `met` are `null` where nothing is promised. */
export type Line = {
  readonly part: string;
  readonly what: string;
  readonly value: number | null;
  readonly unit: string;
  readonly aim: Aim | null;
};

export type Aim = { readonly atLeast: number } | { readonly atMost: number };

export type Verdict = 'met' | 'missed' | null;

/** What was not measured (`null`) meets no aim and misses none. */
export const verdictOf = ({ value, aim }: Pick<Line, 'value' | 'aim'>): Verdict => {
  if (aim === null || value === null) return null;
  const met = 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
  return met ? 'met' : 'missed';
};

/** Three significant digits, but never fewer than a whole number has. */
export const numberText = (value: number | null): string => {
  if (value === null || Number.isNaN(value)) return 'not measured';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
};

const aimText = (aim: Aim | null): string => {
  if (aim === null) return '';
  return 'atLeast' in aim ? `≥ ${numberText(aim.atLeast)}` : `≤ ${numberText(aim.atMost)}`;
};

/** The lines as one table of plain text, columns padded. */
export const tableOf = (lines: readonly Line[]): string => {
  const rows = [
    ['part', 'what', 'result', 'unit', 'aim', ''],
    ...lines.map((line) => [
      ...[line.part, line.what, numberText(line.value), line.unit, aimText(line.aim)],
      verdictOf(line) === 'missed' ? 'MISSED' : (verdictOf(line) ?? ''),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  const [head = [], ...body] = rows.map((row) => row.map(pad));
  const rule = widths.map((width) => '─'.repeat(width));
  return [head, rule, ...body].map((row) => row.join('  ').trimEnd()).join('\n');
};
