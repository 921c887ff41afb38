import { getTableColumns, getTableName, type Table } from 'drizzle-orm';

/** How the rows of one table are read whole and written many at once, without building a query for each. */
export type RowCodec<Row> = {
  readonly table: string;
  /** The columns' names, quoted, in the order of `decode`; each after the given table name where there is one. */
  readonly columns: (of?: string) => string;
  readonly decode: (values: readonly unknown[]) => Row;
  /** An object by column names for `jsonb_populate_recordset`; columns that are not given are null there. */
  readonly encode: (row: Partial<Row>) => Readonly<Record<string, unknown>>;
};

export const codecOf = <Of extends Table>(table: Of): RowCodec<Of['$inferSelect']> => {
  const columns = Object.entries(getTableColumns(table));
  const quoted = columns.map(([, column]) => `"${column.name}"`);
  const lists = new Map<string | undefined, string>();
  const listOf = (of: string | undefined): string => {
    const list = (of === undefined ? quoted : quoted.map((name) => `${of}.${name}`)).join(', ');
    lists.set(of, list);
    return list;
  };
  return {
    table: getTableName(table),
    columns: (of) => lists.get(of) ?? listOf(of),
    decode: (values) => {
      const row: Record<string, unknown> = {};
      columns.forEach(([key, column], index) => {
        const value = values[index];
        row[key] = value === null || value === undefined ? null : column.mapFromDriverValue(value);
      });
      return row;
    },
    encode: (row) => {
      const given = row as Readonly<Record<string, unknown>>;
      const encoded: Record<string, unknown> = {};
      for (const [key, column] of columns) {
        const value = given[key];
        if (value !== undefined && value !== null) encoded[column.name] = value;
      }
      return encoded;
    },
  };
};
