const who = (by: { readonly id: string; readonly name: string | null } | null): string => {
  if (by === null) return '';
  if (by.id === 'system') return 'by Holdfast itself';
  if (by.id === 'command-line') return 'from the command line';
  return `by ${by.name ?? by.id}`;
};

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

export const hold = {
  title: 'Hold',
  lead: 'While submitting is on hold, approved refunds wait and nothing is sent to the provider. Looking up what was sent before goes on.',
  bar: {
    title: 'Submitting is on hold',
    sentence: 'Approved refunds wait; look-ups go on. Nothing is lost.',
    since: 'It began',
    who,
    restored: 'The database was put back to an earlier time.',
    more: 'More',
  },
  off: {
    title: 'Submitting goes on',
    sentence: 'Approved refunds are sent as soon as it is their turn.',
    lifted: (note: string): string => `After the last restore it was let go on with this note: ${note}`,
  },
  reason: 'Why',
  noReason: 'No reason was given.',
  restoredReason: 'The database was put back from a backup, or brought up in another place.',
  waits: {
    title: 'What waits',
    approved: (count: number): string =>
      count === 0
        ? 'No approved refund waits.'
        : `${many(count, 'approved refund waits', 'approved refunds wait')}. Each is looked up at the provider before it is sent, where history was put back.`,
    approvedLink: 'Show the approved',
    person: (count: number): string =>
      count === 0 ? 'None stands before a person.' : `${many(count, 'stands', 'stand')} before a person.`,
    personLink: 'Show them',
  },
  lookUps: {
    title: 'What is looked up',
    progress: (done: number, all: number): string =>
      all === 0
        ? 'Nothing that may have been sent is open.'
        : done === all
          ? `All ${all} that may have been sent were looked up since the hold began.`
          : `${done} of ${all} that may have been sent were looked up since the hold began.`,
    label: 'Looked up since the hold began',
    list: 'Open outcomes',
    empty: 'Every outcome is known.',
    more: (count: number): string => `${count} more stand at Uncertain.`,
  },
  putOn: {
    button: 'Put submitting on hold',
    title: 'Put submitting on hold?',
    description:
      'From now on nothing of this organisation is sent to the provider. Everybody reads that it is so, and your reason. What is under way is finished and looked up.',
    label: 'Why? Everybody reads it',
    missing: 'Write why, so that others know what they wait for.',
    action: 'Put on hold',
    keep: 'Leave as it is',
  },
  lift: {
    button: 'Let submitting go on',
    title: 'Let submitting go on?',
    description: (approved: number): string =>
      approved === 0
        ? 'No approved refund waits now. The next ones are sent as soon as it is their turn.'
        : `${many(approved, 'approved refund is', 'approved refunds are')} sent as soon as it is their turn.`,
    action: 'Let it go on',
    keep: 'Stay on hold',
    stepsTitle: 'Before it goes on after a restore',
    steps: [
      'Every device that was in use since the backup has been online once, and has told again what it had sent.',
      'A sweep as far back as the backup is old has compared the provider’s records with these.',
      'What the sweep found, and what stands before a person, was looked at.',
      'Keys, people, passkeys and rules that were taken away since the backup were taken away again.',
    ],
    swept: 'The last sweep since the hold began ended',
    gaps: {
      'to-look-up': (count: number): string =>
        `${many(count, 'refund that may have been sent was', 'refunds that may have been sent were')} not looked up since the hold began.`,
      'not-swept': (): string => 'No sweep has been recorded since the hold began.',
    },
    noteTitle: 'Not everything is answered',
    note: 'Why it goes on all the same',
    noteHint: 'Everybody reads it on this screen.',
    noteMissing: 'Write why it goes on although this is open. Until then submitting stays on hold.',
    confirm: 'All of this is done',
    confirmMissing: 'Tick this once all of it is done. Until then submitting stays on hold.',
  },
  everywhere:
    'This is the hold of your organisation. All organisations at once are put on hold on the server: holdfast hold on --all.',
  readOnly: 'Operators and admins put submitting on hold and let it go on.',
  unreachable: 'Holdfast cannot be reached. Whether submitting is on hold is not known here now.',
  notChanged: 'It is not known whether that arrived. See below once Holdfast can be reached again.',
  failed: 'That was refused',
} as const;
