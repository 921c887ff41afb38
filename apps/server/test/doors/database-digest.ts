import type postgres from 'postgres';

/** That a key was used or a session seen is noted with whatever it asked, also with what it was refused. */
const notedAnyway = ['last_used_at', 'seen_at'];

/**
 * What the tables of an organisation, of the sign-in and of the installation hold, in one word each that another word
 * takes the place of as soon as a row is added, taken away or written over: how many rows there are, and which
 * transaction wrote the youngest. Tables with a column that is written anyway are read out but for that column.
 */
export const databaseDigest = async (
  admin: postgres.Sql,
  organisationId?: string,
): Promise<Readonly<Record<string, string>>> => {
  const tables = await admin<{ schema: string; name: string; leads: boolean; noted: boolean }[]>`
    select t.table_schema as schema, t.table_name as name,
      bool_or(c.column_name = 'org_id') as leads, bool_or(c.column_name = any(${notedAnyway})) as noted
    from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and t.table_schema in ('public', 'sign_in') group by 1, 2 order by 1, 2`;
  const parts = tables.map(({ schema, name, leads, noted }) => {
    const where = leads && organisationId !== undefined ? `where t.org_id = '${organisationId}'` : '';
    const row = `(to_jsonb(t) - array['${notedAnyway.join(`','`)}'])::text`;
    const digest = noted
      ? `md5(coalesce(string_agg(${row}, '|' order by ${row}), ''))`
      : `count(*) || ' rows, the youngest of ' || coalesce(max(t.xmin::text::bigint), 0)`;
    return `select '${schema}.${name}' as name, ${digest} as digest from ${schema}."${name}" t ${where}`;
  });
  const rows = await admin.unsafe<{ name: string; digest: string }[]>(parts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
};
