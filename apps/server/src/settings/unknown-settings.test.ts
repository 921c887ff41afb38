import { expect, test } from 'vitest';
import { unknownSettings, unknownSettingText } from './unknown-settings.ts';

// Red when: a misspelt setting is passed over in silence, or one of ours is called unknown.
test('a variable that is named like a setting and is none is said, with the one that may be meant', () => {
  const variables = {
    HOLDFAST_UNDO_MSX: '5',
    HOLDFAST_LEASEMS: '5',
    HOLDFAST_FAVOURITE_COLOUR: 'blue',
    HOLDFAST_UNDO_MS: '5',
    HOLDFAST_CRASH_AT: 'x',
    PORT: '4780',
    PATH: '/bin',
  };
  expect(unknownSettings(variables)).toEqual([
    { name: 'HOLDFAST_FAVOURITE_COLOUR', meant: null },
    { name: 'HOLDFAST_LEASEMS', meant: 'HOLDFAST_LEASE_MS' },
    { name: 'HOLDFAST_UNDO_MSX', meant: 'HOLDFAST_UNDO_MS' },
  ]);
  expect(unknownSettings(variables).map(unknownSettingText).join('\n')).toContain(
    'HOLDFAST_UNDO_MSX is no setting of Holdfast, so it does nothing. Did you mean HOLDFAST_UNDO_MS?',
  );
});
