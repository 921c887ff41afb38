import { formatAmount, type Observation, type ProviderRecord } from '@holdfast/operation';

/** One piece of evidence in words, with the provider's reference where it names one. */
export const summaryOfFinding = (
  finding: Observation['finding'],
): { readonly summary: string; readonly reference: string | null } => {
  const plain = (summary: string): { summary: string; reference: null } => ({ summary, reference: null });
  switch (finding.kind) {
    case 'not-sent':
      return plain(`The request did not leave: ${finding.because}.`);
    case 'deferred':
      return plain(`The provider did nothing and will later: ${finding.because}.`);
    case 'rejected':
      return plain(
        `The provider refused it: ${finding.decline}${finding.code === null ? '' : ` (${finding.code})`}.`,
      );
    case 'in-flight-elsewhere':
      return plain('A request with this key is under way at the provider.');
    case 'unknown':
      return plain(`The answer was not heard or proves nothing: ${finding.because}.`);
    case 'accepted':
    case 'found':
      return { summary: describe(finding.record), reference: finding.record.reference };
    case 'absent-yet':
      return plain('The provider shows nothing of it yet. That proves nothing.');
    case 'absent-final':
      return plain('The provider shows nothing of it, also after the time in which it could still appear.');
    case 'exhausted-elsewhere':
      return {
        summary: `Refunds made elsewhere have used up the payment: ${finding.refunds.map(({ reference }) => reference).join(', ')}.`,
        reference: finding.refunds[0]?.reference ?? null,
      };
    case 'unattributed':
      return {
        summary: `The provider shows refunds of this amount that name nobody; each could be any of ${String(finding.operations.length)}: ${finding.refunds.map(({ reference }) => reference).join(', ')}.`,
        reference: finding.refunds[0]?.reference ?? null,
      };
    case 'no-answer':
      return plain(`The provider could not be asked: ${finding.because}.`);
    case 'operator-settled':
      return {
        summary:
          finding.secondNote === undefined
            ? `Settled by hand as ${finding.outcome}: ${finding.note}`
            : `Settled by hand as ${finding.outcome}. The first operator wrote: “${finding.note}” The second: “${finding.secondNote}”`,
        reference: finding.record?.reference ?? null,
      };
  }
};

const describe = (record: ProviderRecord): string =>
  `The provider's record: ${record.statusText}, ${formatAmount(record.amount)}, payment ${record.paymentReference}.`;
