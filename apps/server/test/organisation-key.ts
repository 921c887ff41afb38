import type { Role } from '@holdfast/operation';
import { hashApiKey, mintApiKey } from '../src/sign-in/api-key.ts';
import { mintId, type House } from './house-rig.ts';

/** A key of a new organisation in the same house. */
export const createOrganisationKey = async (house: House, name: string, role: Role): Promise<string> => {
  const { id } = await house.opened.made.engine.createOrganisation(name);
  const key = mintApiKey();
  await house.opened.store.addKey(id, {
    id: mintId(),
    hash: hashApiKey(key),
    role,
    name: role,
    ownerUserId: null,
    assistant: false,
  });
  return key;
};
