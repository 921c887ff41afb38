import type { RefundReason } from '@holdfast/operation';

export type Language = 'en' | 'de' | 'nl' | 'fr' | 'es';

/** The right answer, as far as it is judged. `lines`: SKUs with how many; none where the request names an amount or all. */
export type Right =
  | {
      readonly kind: 'draft';
      readonly order: string;
      readonly minor: number;
      readonly lines?: Readonly<Record<string, number>>;
      readonly reason?: RefundReason;
    }
  | { readonly kind: 'report'; readonly order: string }
  | { readonly kind: 'question' }
  | { readonly kind: 'nothing' };

export type EvaluationRequest = {
  readonly language: Language;
  readonly text: string;
  readonly right: Right;
  /** What the person has open beside the assistant. */
  readonly beside?: { readonly orderId?: string; readonly ticketId?: string };
};

type Beside = EvaluationRequest['beside'];

const with_ = (language: Language, text: string, right: Right, beside?: Beside): EvaluationRequest => ({
  language,
  text,
  right,
  ...(beside === undefined ? {} : { beside }),
});

/** A draft of so many minor units; lines as `SKU` or `SKU*2`. */
export const draft = (
  language: Language,
  text: string,
  order: string,
  minor: number,
  lines: string,
  reason?: RefundReason,
  beside?: Beside,
): EvaluationRequest =>
  with_(
    language,
    text,
    {
      kind: 'draft',
      order,
      minor,
      lines: Object.fromEntries(
        lines
          .split(' ')
          .filter((one) => one !== '')
          .map((one) => {
            const [sku = '', many = '1'] = one.split('*');
            return [sku, Number(many)];
          }),
      ),
      ...(reason === undefined ? {} : { reason }),
    },
    beside,
  );

export const report = (language: Language, text: string, order: string, beside?: Beside): EvaluationRequest =>
  with_(language, text, { kind: 'report', order }, beside);

/** More than one reading: whoever drafts here has guessed. */
export const ask = (language: Language, text: string, beside?: Beside): EvaluationRequest =>
  with_(language, text, { kind: 'question' }, beside);

/** It cannot be done, or not by an assistant. */
export const cannot = (language: Language, text: string, beside?: Beside): EvaluationRequest =>
  with_(language, text, { kind: 'nothing' }, beside);
