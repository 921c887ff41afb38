import type { RefundReason } from '@holdfast/operation';
import { reasonPhrases, returnPhrases } from './phrases.ts';
import type { RequestText } from './request-text.ts';

/** Reasons that were said. "Returned" is one only where nothing else is: a broken thing may have been sent back as well. */
export const takeReasons = (reading: RequestText): readonly RefundReason[] => {
  const said = reasonPhrases
    .filter(([, phrases]) => reading.take(phrases, '§r').length > 0)
    .map(([reason]) => reason);
  const isReturned = reading.take(returnPhrases, '§r').length > 0;
  return isReturned ? ['returned', ...said] : said;
};
