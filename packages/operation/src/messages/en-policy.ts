import type { LimitAct, LimitSpan } from '../policy.ts';

const acting: Readonly<Record<LimitAct, string>> = { propose: 'proposing', approve: 'approving' };
const done: Readonly<Record<LimitAct, string>> = { propose: 'proposed', approve: 'approved' };
const span: Readonly<Record<LimitSpan, string>> = {
  operation: 'a refund',
  payment: 'a payment',
  day: 'a day',
};

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const number = (count: number): string => numbers[count] ?? String(count);
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const approvals = (count: number): string => `${number(count)} ${count === 1 ? 'approval' : 'approvals'}`;

/** What the organisation's policy says of one refund. */
export const englishPolicy = {
  /** Who an automatic approval is by. */
  actor: 'The policy',
  limits: {
    over: (act: LimitAct, per: LimitSpan, most: string, used: string | null): string =>
      `The limit for ${acting[act]} is ${most} ${span[per]}${used === null ? '.' : `; ${used} of it is used.`}`,
    currency: (act: LimitAct, per: LimitSpan, currency: string): string =>
      `There is a limit for ${acting[act]} ${span[per]} and none of it is in ${currency}, so nothing in ${currency} can be ${done[act]}.`,
  },
  standing: {
    signatureMissing: 'An approval of it has to be signed, and this one is not.',
    approverLostAuthority: 'Somebody who approved it may no longer approve refunds.',
    notAutomatic: 'The policy no longer approves it by itself; a person has to.',
  },
  reasonNotAllowed: 'Refunds for this reason are not made here.',
  /** "Two approvals are needed above EUR 500.00; one more is missing." */
  needs: (needed: number, given: number, above: string | null, signed: boolean): string => {
    const missing = Math.max(0, needed - given);
    const rule = `${approvals(needed)} ${needed === 1 ? 'is' : 'are'} needed${above === null ? '' : ` above ${above}`}`;
    const more = `${number(missing)} more ${missing === 1 ? 'is' : 'are'} missing`;
    const open = missing === 0 ? '; none is missing' : given === 0 ? '' : `; ${more}`;
    return `${capital(rule)}${open}.${signed ? ' Each has to be signed.' : ''}`;
  },
  automatic: 'The policy approves it by itself.',
};
