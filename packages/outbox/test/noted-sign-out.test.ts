import { expect, it } from 'vitest';
import type { SignOutNote, SignOutNotes } from '../src/browser/sign-out-note.ts';
import { settleSignOuts } from '../src/browser/sign-outs.ts';
import type { Decision, QueueScope } from '../src/queue/queue-store.ts';
import type { RefundSnapshot } from '../src/queue/refund-rows.ts';
import { decideSignedIn } from '../src/queue/session-decision.ts';
import { neverCancelled } from '../src/ports.ts';
import { MemoryQueueStore } from './memory-queue-store.ts';

const nothing = { operationIds: [] };

/** While this store's first step waits, another tab takes the note in and settles it, and somebody signs in. */
class SlowQueueStore extends MemoryQueueStore {
  beside: (() => Promise<void>) | null = null;

  override async change<Answer>(
    scope: QueueScope,
    decide: (snapshot: RefundSnapshot) => Decision<Answer>,
  ): Promise<Answer> {
    const { beside } = this;
    this.beside = null;
    await beside?.();
    return super.change(scope, decide);
  }
}

// Red when: `takeIn` decides by what the note said before its step began.
it('a noted sign-out that was settled beside us does not sign out who came after it', async () => {
  let note: SignOutNote = 'only-here';
  const notes = {
    read: () => note,
    write: (next: SignOutNote) => {
      note = next;
    },
  } as SignOutNotes;
  const store = new SlowQueueStore();
  store.beside = async () => {
    note = 'none';
    await store.change(nothing, decideSignedIn('the next person'));
  };
  const transport = { send: () => Promise.reject(new Error('nothing is owed, so nothing is asked')) };
  const standing = await settleSignOuts(
    { store, notes, alone: (task) => task(), timeoutMs: 1, protocol: 1, transport },
    neverCancelled,
  );
  expect(standing).toBe('nothing-owed');
  expect((await store.read(nothing)).session).toMatchObject({
    subject: 'the next person',
    signOutOwed: false,
  });
});
