import type { ShownState } from '@holdfast/operation';

export const tones = [
  'neutral',
  'waiting',
  'accent',
  'green',
  'hatched',
  'person',
  'grey',
  'stopped',
  'violet',
] as const;
export type Tone = (typeof tones)[number];

/** The tone of a state. Colour comes last: icon and word say the same without it. */
export const toneOf = (state: ShownState, needsPerson: boolean): Tone => {
  if (needsPerson) return 'person';
  switch (state) {
    case 'draft':
    case 'queued':
    case 'sent':
      return 'neutral';
    case 'proposed':
      return 'waiting';
    case 'approved':
    case 'submitting':
    case 'pending':
      return 'accent';
    case 'confirmed':
      return 'green';
    case 'outcome_unknown':
      return 'hatched';
    case 'failed':
      return 'stopped';
    case 'reversed':
      return 'violet';
    case 'denied':
    case 'cancelled':
    case 'expired':
      return 'grey';
  }
};
