import { readPolicy } from '@holdfast/engine/postgres';
import { roleMay, roles } from '@holdfast/operation';
import type { Check } from './doctor.ts';
import { fewSigning } from './weak-settings.ts';
import type { Workplace } from './workplace.ts';

const approvingRoles = roles.filter((role) => roleMay(role, 'approver'));

/** Organisations whose policy asks for signatures that too few can give. */
export const examineSignatures = async ({ store, inOrganisation }: Workplace): Promise<Check[]> => {
  const found: Check[] = [];
  for (const { id, name } of await store.organisations()) {
    const weak = await inOrganisation(id, async (tx) => {
      const [row] = await tx.ask<{ signing: number }>(
        `select count(*)::int as signing from members m
          where m.org_id = $1 and m.role = any($2::text[]) and m.removed_at is null
            and exists (select from sign_in.passkey p where p.user_id = m.user_id and p.revoked_at is null)`,
        [id, approvingRoles],
      );
      return fewSigning(name, await readPolicy(tx), row?.signing ?? 0);
    });
    if (weak !== undefined) found.push({ check: 'weak setting', ok: true, note: true, ...weak });
  }
  return found;
};
