import type postgres from 'postgres';

/** Everything that the tables of an organisation, of the sign-in and of the installation hold, in one word each; but for when a session was last seen. */
export const databaseDigest = async (
  admin: postgres.Sql,
  organisationId?: string,
): Promise<Readonly<Record<string, string>>> => {
  const tables = await admin<{ schema: string; name: string; leads: boolean }[]>`
    select t.table_schema as schema, t.table_name as name, exists (
      select from information_schema.columns c where c.table_schema = t.table_schema
        and c.table_name = t.table_name and c.column_name = 'org_id') as leads
    from information_schema.tables t
    where t.table_type = 'BASE TABLE' and t.table_schema in ('public', 'sign_in') order by 1, 2`;
  const parts = tables.map(({ schema, name, leads }) => {
    const where = leads && organisationId !== undefined ? `where t.org_id = '${organisationId}'` : '';
    // That a key was used or a session seen is noted with whatever it asked, also with what it was refused.
    const row = `(to_jsonb(t) - 'last_used_at' - 'seen_at')::text`;
    return `select '${schema}.${name}' as name, md5(coalesce(string_agg(${row}, '|' order by ${row}), '')) as digest
      from ${schema}."${name}" t ${where}`;
  });
  const rows = await admin.unsafe<{ name: string; digest: string }[]>(parts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
};
