import { expect, it } from 'vitest';
import type { SignOutNote, SignOutNotes } from '../src/browser/sign-out-note.ts';
import { settleSignOuts } from '../src/browser/sign-outs.ts';
import type { QueueStore } from '../src/queue/queue-store.ts';
import { decideSignedIn } from '../src/queue/session-decision.ts';
import { MemoryQueueStore } from './memory-queue-store.ts';

const nothing = { operationIds: [] };

// Red when: `takeIn` decides by what the note said before its step began.
it('a noted sign-out that was settled beside us does not sign out who came after it', async () => {
  const memory = new MemoryQueueStore();
  let note: SignOutNote = 'only-here';
  const notes = {
    read: () => note,
    write: (next: SignOutNote) => {
      note = next;
    },
  } as SignOutNotes;
  // Our step has to wait; meanwhile another tab takes the note in, settles it, and somebody signs in.
  const store: QueueStore = {
    ...memory,
    read: (scope) => memory.read(scope),
    change: async (scope, decide) => {
      if (note === 'only-here') {
        note = 'none';
        await memory.change(nothing, decideSignedIn('the next person'));
      }
      return memory.change(scope, decide);
    },
  };
  const standing = await settleSignOuts(
    {
      store,
      notes,
      alone: (task) => task(),
      timeoutMs: 1,
      protocol: 1,
      transport: { send: () => Promise.reject(new Error('nothing is owed, so nothing is asked')) },
    },
    { aborted: false } as Parameters<typeof settleSignOuts>[1],
  );
  expect(standing).toBe('nothing-owed');
  expect((await memory.read(nothing)).session).toMatchObject({
    subject: 'the next person',
    signOutOwed: false,
  });
});
