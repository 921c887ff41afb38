/** What came of a try to settle an outcome by hand, said where it was typed. */
export const settle = {
  underWay: 'Settling…',
  waits:
    'Saved on this device. Holdfast has not answered yet; what it answers is shown here. Until then you can change it and settle again.',
  refused: 'It was not settled',
  said: (value: string, because: string) => `${value}: ${because}`,
  remedies: {
    'reference-unknown':
      'Copy it from the provider’s refunds of this payment, as they are listed above or in its dashboard.',
    'reference-taken': 'Name the refund that belongs to this operation.',
    'reference-of-another-payment': 'Name a refund of the payment that this case is about.',
    'reference-not-succeeded': 'Wait until the provider has carried it out; looking goes on by itself.',
    'reference-missing': 'Copy it from the provider.',
  } as Readonly<Record<string, string>>,
  otherwise: 'What you typed is still here.',
};
