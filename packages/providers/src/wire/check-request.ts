import type { RefundRequest } from '../provider-adapter.ts';
import type { ProviderContract } from '../provider-contract.ts';

/** Printable ASCII: what an HTTP header carries unchanged. */
const headerSafe = /^[\x21-\x7e]+$/;
/** What may stand in a path without being read as anything else. */
const pathSafe = /^[A-Za-z0-9_-]+$/;

/** Why no bytes can be made of it; `undefined` where nothing stands against it. What does not fit is never cut. */
export const requestProblem = (
  { idempotencyKey, organisationId, operationId, paymentReference }: RefundRequest,
  { displayName, maximumKeyLength, maximumTextBytes }: ProviderContract,
): string | undefined => {
  if (!headerSafe.test(idempotencyKey) || idempotencyKey.length > maximumKeyLength) {
    return `The idempotency key must be 1 to ${String(maximumKeyLength)} printable characters.`;
  }
  if (!pathSafe.test(paymentReference)) return `"${paymentReference}" is no payment of ${displayName}.`;
  // Both in one field: where a provider has only one for us, they share it.
  const bytes = new TextEncoder().encode(bothIds(organisationId, operationId)).length;
  const isId = (text: string): boolean => headerSafe.test(text) && !text.includes('.');
  if (!isId(organisationId) || !isId(operationId) || bytes > maximumTextBytes) {
    return `Organisation and operation ID must fit ${String(maximumTextBytes)} bytes together.`;
  }
  return undefined;
};

/** Organisation and operation in the one field that a provider gives back to us. */
export const bothIds = (organisationId: string, operationId: string): string =>
  `${organisationId}.${operationId}`;

/** Reads `bothIds` again; anything else was written by somebody else, and names nobody. */
export const idsIn = (
  text: string | null,
): { readonly organisationId: string | null; readonly operationId: string | null } => {
  const [organisationId, operationId, ...more] = text?.split('.') ?? [];
  const isPair = organisationId !== undefined && operationId !== undefined && more.length === 0;
  return isPair && organisationId !== '' && operationId !== ''
    ? { organisationId, operationId }
    : { organisationId: null, operationId: null };
};
