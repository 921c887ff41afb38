import { createActionOutbox } from '@holdfast/outbox/queue';
import * as z from 'zod/mini';

const outbox = createActionOutbox({
  name: 'meters',
  sendTo: '/readings',
  action: z.object({ meter: z.string(), reading: z.number() }),
  subject: 'ann',
});
const form = document.querySelector('form') as HTMLFormElement;
const status = document.querySelector('[role=status]') as HTMLElement;
const list = document.querySelector('ol') as HTMLElement;
const words = {
  saved: 'saved on this device',
  'maybe-sent': 'maybe sent, waiting to hear',
  sent: 'sent, waiting to hear',
  received: 'the server has it',
};

let id = outbox.newId();
const save = async (): Promise<void> => {
  const fields = new FormData(form);
  const action = { meter: String(fields.get('meter')), reading: Number(fields.get('reading')) };
  const saved = await outbox.queue(action, { id });
  status.textContent = saved.saved ? 'Saved on this device.' : `Not saved: ${saved.because.reason}`;
  if (saved.saved) id = outbox.newId();
};
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void save();
});
outbox.watch((items) => {
  const lines = items.map(({ action, safety, notSentBecause }) => {
    const line = document.createElement('li');
    line.textContent = `${action.meter}: ${action.reading}, ${words[safety]} ${notSentBecause ?? ''}`;
    return line;
  });
  list.replaceChildren(...lines);
});
await outbox.start();
