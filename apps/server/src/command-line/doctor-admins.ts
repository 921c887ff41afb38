import type { Check } from './doctor.ts';
import { fewAdmins } from './weak-settings.ts';
import type { Workplace } from './workplace.ts';

/** Organisations in which what takes two admins cannot be done. */
export const examineAdmins = async ({ store, inOrganisation }: Workplace): Promise<Check[]> => {
  const found: Check[] = [];
  for (const { id, name } of await store.organisations()) {
    const [row] = await inOrganisation(id, (tx) =>
      tx.ask<{ admins: number }>(
        `select count(*)::int as admins from members
          where org_id = $1 and role = 'admin' and removed_at is null`,
        [id],
      ),
    );
    const weak = fewAdmins(name, row?.admins ?? 0);
    if (weak !== undefined) found.push({ check: 'weak setting', ok: true, note: true, ...weak });
  }
  return found;
};
