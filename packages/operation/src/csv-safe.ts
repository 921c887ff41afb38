export type CsvCell = string | number | boolean | null;

/** What spreadsheets begin a formula with: also in full width, and also after what they leave out. */
const beginsFormula = /^[\s\p{Cc}\p{Cf}]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/u;
/** A tab or a line break at the beginning moves what follows into a cell of its own in some programs. */
const beginsBlank = /^[\t\r\n]/u;
const plainNumber = /^-?\d+(\.\d+)?$/u;

/** The text as a cell that no spreadsheet runs: what would be a formula gets an apostrophe before it, and is text. */
export const safeCell = (cell: CsvCell): string => {
  if (cell === null) return '';
  const text = String(cell);
  if (plainNumber.test(text)) return text;
  return beginsFormula.test(text) || beginsBlank.test(text) ? `'${text}` : text;
};
