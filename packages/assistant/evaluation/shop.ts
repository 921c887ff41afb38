import type { Catalogue, KnownOperation, KnownOrder } from '@holdfast/assistant';

type Line = readonly [sku: string, title: string, quantity: number, minor: number];
type Return = readonly [id: string, status: 'expected' | 'received' | 'rejected'];

const titles = {
  headphones: ['HP-200', 'Over-ear headphones, midnight blue'],
  inEar: ['HP-110', 'In-ear headphones with case'],
  cable: ['CB-100', 'USB-C cable, 2 m'],
  lamp: ['LP-030', 'Reading lamp, brass'],
  mug: ['MG-350', 'Stoneware mug, set of two'],
  keyboard: ['KB-075', 'Compact keyboard, silent switches'],
  jacket: ['JK-044', 'Rain jacket, moss green'],
  shoes: ['SH-042', 'Running shoes, size 42'],
  grinder: ['CM-500', 'Coffee grinder'],
  blanket: ['BL-001', 'Wool blanket'],
  backpack: ['BP-018', 'Day backpack, 18 litres'],
  tumbler: ['TB-010', 'Travel tumbler'],
  notebook: ['NB-005', 'Notebook, dotted, pack of five'],
  speaker: ['SP-020', 'Portable speaker'],
} as const;

const line = (what: keyof typeof titles, quantity: number, minor: number): Line => [
  titles[what][0],
  titles[what][1],
  quantity,
  minor,
];

type Written = {
  readonly id: string;
  readonly customer: readonly [id: string, name: string];
  readonly currency?: string;
  readonly lines: readonly Line[];
  readonly returns?: readonly Return[];
  readonly refunded?: number;
  readonly day: number;
};

const orderOf = ({ id, customer, currency = 'EUR', lines, returns, refunded, day }: Written): KnownOrder => {
  const captured = lines.reduce((sum, [, , , minor]) => sum + minor, 0);
  return {
    id,
    customer: { id: customer[0], name: customer[1] },
    payment: { reference: `pi_eval${id}` },
    placedAt: `2026-11-${String(day).padStart(2, '0')}T10:00:00.000Z`,
    lines: lines.map(([sku, title, quantity, minor]) => ({
      sku,
      title,
      quantity,
      amount: { minor, currency },
    })),
    returns: (returns ?? []).map(([returnId, status]) => ({ id: returnId, status })),
    captured: { minor: captured, currency },
    refundable: { minor: captured - (refunded ?? 0), currency },
  };
};

const marta = ['C-1', 'Marta Villanueva'] as const;
const jonas = ['C-2', 'Jonas Weber'] as const;
const elif = ['C-12', 'Elif Yılmaz'] as const;

const orders: readonly Written[] = [
  {
    id: '1042',
    customer: marta,
    lines: [line('headphones', 1, 12_900), line('cable', 1, 1_299)],
    returns: [['R-1042', 'received']],
    day: 2,
  },
  {
    id: '1043',
    customer: jonas,
    lines: [line('lamp', 1, 4_725), line('mug', 2, 4_980)],
    returns: [['R-1043', 'expected']],
    day: 3,
  },
  { id: '1044', customer: jonas, lines: [line('keyboard', 1, 8_450)], day: 9 },
  {
    id: '1045',
    customer: ['C-3', 'Chloé Dubois'],
    lines: [line('jacket', 1, 13_995), line('shoes', 1, 11_450)],
    returns: [['R-1045', 'received']],
    day: 4,
  },
  {
    id: '1046',
    customer: ['C-4', 'Mei Chen'],
    currency: 'JPY',
    lines: [line('grinder', 1, 15_800)],
    returns: [['R-1046', 'received']],
    day: 5,
  },
  {
    id: '1047',
    customer: ['C-5', 'Omar Haddad'],
    currency: 'USD',
    lines: [line('headphones', 1, 14_190), line('inEar', 1, 6_590)],
    returns: [['R-1047', 'received']],
    day: 6,
  },
  {
    id: '1048',
    customer: ['C-6', 'Sofia García'],
    currency: 'GBP',
    lines: [line('blanket', 1, 5_865)],
    returns: [['R-1048', 'received']],
    refunded: 5_865,
    day: 7,
  },
  {
    id: '1049',
    customer: ['C-7', 'Sofia Garcia'],
    lines: [line('backpack', 1, 7_200)],
    returns: [['R-1049', 'received']],
    day: 8,
  },
  {
    id: '1050',
    customer: ['C-8', 'Priya Sharma'],
    currency: 'KWD',
    lines: [line('tumbler', 1, 9_250)],
    returns: [['R-1050', 'rejected']],
    day: 10,
  },
  {
    id: '1051',
    customer: ['C-9', 'Lars Bakker'],
    lines: [line('notebook', 3, 5_550), line('speaker', 1, 8_990), line('tumbler', 1, 2_795)],
    returns: [
      ['R-1051a', 'received'],
      ['R-1051b', 'expected'],
    ],
    day: 11,
  },
  {
    id: '1052',
    customer: ['C-10', 'Hannah Meyer'],
    lines: [line('speaker', 1, 8_990)],
    returns: [
      ['R-1052-1', 'received'],
      ['R-1052-2', 'received'],
    ],
    day: 12,
  },
  {
    id: '1053',
    customer: ['C-11', 'Amara Okafor'],
    lines: [line('blanket', 1, 6_900)],
    returns: [['R-1053', 'received']],
    day: 13,
  },
  { id: '1054', customer: elif, lines: [line('backpack', 1, 7_200)], day: 14 },
  { id: '1055', customer: elif, lines: [line('lamp', 1, 4_725)], returns: [['R-1055', 'received']], day: 15 },
];

const operation = (
  last: number,
  orderId: string,
  state: KnownOperation['state'],
  minor: number,
  sentence: string,
  currency = 'EUR',
): KnownOperation => ({
  id: `0195e000-0000-7000-8000-${String(last).padStart(12, '0')}`,
  orderId,
  ticketId: null,
  state,
  amount: { minor, currency },
  lines: [],
  sentence,
});

/** A made-up shop with what makes requests hard: namesakes, two of a kind, returns that never came. */
export const shop: Catalogue = {
  orders: orders.map(orderOf),
  tickets: [
    { id: 'T-7', subject: 'Still waiting for my money', customerId: 'C-1', orderId: '1042' },
    { id: 'T-8', subject: 'Wrong size', customerId: 'C-3', orderId: '1045' },
    { id: 'T-9', subject: 'Question about two orders', customerId: 'C-2' },
    { id: 'T-10', subject: 'Where is my refund?', customerId: 'C-11', orderId: '1053' },
    { id: 'T-11', subject: 'An order of another shop', customerId: 'C-99', orderId: '9999' },
  ],
  operations: [
    operation(48, '1048', 'confirmed', 5_865, 'Stripe reports it refunded, reference re_48.', 'GBP'),
    operation(
      53,
      '1053',
      'outcome_unknown',
      6_900,
      'The request was submitted, but confirmation is delayed. We are checking it.',
    ),
    operation(54, '1054', 'denied', 7_200, 'Denied by Ben: no return.'),
    operation(55, '1054', 'proposed', 3_000, 'Waiting for approval.'),
    operation(44, '1044', 'failed', 8_450, 'No money moved. Stripe declined it: too old.'),
  ],
};
