import type { NoAnswer } from '../provider-adapter.ts';
import { callJson, type JsonAccess } from './call-json.ts';
import type { Fields } from './fields.ts';
import { dateIn, retryAfterIn } from './headers.ts';
import { noAnswer } from './no-answer.ts';

export type AskedJson =
  | { readonly kind: 'answer'; readonly body: Fields; readonly providerDateMs: number | null }
  /** Said by the provider itself; a 404 of anything in between is no answer. */
  | { readonly kind: 'not-found' }
  | NoAnswer;

/**
 * One GET. Only a readable 200 is an answer.
 * @param isItsOwn whether the body of a refusal is in the provider's own form, and so its own word
 */
export const askJson = async (
  access: JsonAccess,
  path: string,
  deadlineMs: number,
  isItsOwn: (status: number, body: Fields) => boolean,
): Promise<AskedJson> => {
  const answer = await callJson(access, { method: 'GET', path, deadlineMs });
  if (answer.kind !== 'answered') return noAnswer(answer.because);
  const { status, body, headers } = answer;
  if (status === 200) {
    return body === undefined
      ? noAnswer('answer 200 that could not be read')
      : { kind: 'answer', body, providerDateMs: dateIn(headers) };
  }
  const fromIt = body !== undefined && isItsOwn(status, body);
  if (status === 404 && fromIt) return { kind: 'not-found' };
  if ((status === 401 || status === 403) && fromIt) return noAnswer(`answer ${String(status)}`, true);
  return noAnswer(
    `answer ${String(status)}`,
    false,
    status === 429 ? { retryAfterMs: retryAfterIn(headers) } : undefined,
  );
};
