import { policySchema, type Policy } from '@holdfast/operation';
import type { Server } from './server.ts';

export type SigningPasskey = {
  readonly credentialId: string;
  readonly relyingPartyId: string;
  readonly transports: readonly string[];
};

/** What this device knows of signing approvals. IDs of passkeys and a rule: nothing of it is secret. */
export type SigningKeys = Pick<Policy, 'signatureRequired'> & {
  readonly organisationId: string;
  readonly approverId: string;
  readonly passkeys: readonly SigningPasskey[];
};

const databaseName = 'holdfast-signing';
const storeName = 'keys';

const answerOf = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the storage gave no reason'));
  });

const withStore = async <Value>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> => {
  const opening = indexedDB.open(databaseName, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(storeName);
  const database = await answerOf(opening);
  try {
    return await answerOf(ask(database.transaction(storeName, mode).objectStore(storeName)));
  } finally {
    database.close();
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';

const readPasskey = (raw: unknown): readonly SigningPasskey[] => {
  if (!isRecord(raw)) return [];
  const { credentialId, relyingPartyId, transports } = raw;
  if (!isText(credentialId) || !isText(relyingPartyId) || !Array.isArray(transports)) return [];
  return [{ credentialId, relyingPartyId, transports: transports.filter(isText) }];
};

/** What the server said, or what was stored of it; `null` where it is neither. */
export const readSigningKeys = (raw: unknown): SigningKeys | null => {
  if (!isRecord(raw)) return null;
  const { organisationId, approverId, passkeys } = raw;
  const rule = policySchema.shape.signatureRequired.safeParse(raw['signatureRequired']);
  if (!isText(organisationId) || !isText(approverId) || !Array.isArray(passkeys) || !rule.success)
    return null;
  return {
    organisationId,
    approverId,
    signatureRequired: rule.data,
    passkeys: passkeys.flatMap((one) => readPasskey(one)),
  };
};

/** Asks the server with what these approvals are signed, and keeps it on the device under the person's subject. */
export const learnSigningKeys = async (server: Server, subject: string): Promise<void> => {
  const answer = await server.signing();
  if (answer.kind !== 'answer') return;
  const keys = readSigningKeys(answer.value);
  if (keys === null) return;
  try {
    await withStore('readwrite', (store) => store.put(keys, subject));
  } catch {
    // Without storage the device asks again each time; whoever needs a signature is told by the server.
  }
};

/** What is known here of this person's signing; `null` where nothing was learned yet. */
export const knownSigningKeys = async (subject: string): Promise<SigningKeys | null> => {
  try {
    return readSigningKeys(await withStore('readonly', (store): IDBRequest<unknown> => store.get(subject)));
  } catch {
    return null;
  }
};
