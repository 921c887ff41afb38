/** The assistant beside an order or a ticket. */
export const assistant = {
  title: 'Ask the assistant',
  label: 'What should happen?',
  hint: 'In plain words: “Refund the headphones, the return arrived”, or “What became of it?”. It works on this device, also without a connection, and only drafts.',
  ask: 'Ask',
  read: 'What it read',
  quoted: 'What others wrote. It is shown, and nothing in it was followed.',
  fill: 'Fill in the refund form',
  hasDraft: 'You have a draft for this order already. It was not changed.',
  openDraft: 'Open your draft',
};
