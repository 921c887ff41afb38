/** What a refund that did not last leaves to do. */
export const followUp = {
  title: 'Pay the customer another way',
  says: 'The bank sent it back. The money is with us again, and the customer does not have it.',
  how: 'Ask the customer for another way (another card, a bank account), then propose a new refund in its place, or pay outside Holdfast and close this with a note.',
  since: 'Came back',
  nobody: 'Nobody sees to it yet.',
  taken: (name: string): string => `${name} sees to it.`,
  mine: 'You see to it.',
  take: 'I see to it',
  takeOver: (name: string): string => `Take it over from ${name}`,
  putBack: 'Put it back',
  again: 'Propose a new refund',
  close: 'Close with a note',
  closeTitle: 'Was the customer paid another way?',
  closeText: 'Write how, or why nothing is to be paid. It is read by whoever looks at this refund later.',
  closeLabel: 'What was done',
  closeMissing: 'Write what was done.',
  closeAct: 'Close it',
  keep: 'Not yet',
  unreachable: 'Holdfast was not reached. Press again: it is done once.',
  refused: (status: number): string => `It was not done (${String(status)}).`,
  closedTitle: 'Seen to',
  closedByNote: (name: string): string => `${name} closed it:`,
  closedByProposal: 'A new refund was proposed in its place.',
  lookAtNew: 'Look at the new refund',
  screenTitle: 'Came back',
  screenLead: 'Refunds that did not last. Their customers are still to be paid another way.',
  none: 'Every customer whose refund came back has been seen to. When a bank sends one back, it stands here until it is done.',
  link: (count: number): string =>
    count === 1
      ? '1 refund came back: its customer is still to be paid another way'
      : `${String(count)} refunds came back: their customers are still to be paid another way`,
};
