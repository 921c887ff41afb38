import { describe, expect, it } from 'vitest';
import { isOwnTask, operationOfTask } from '../../src/mcp/assistant-task.ts';

const sharedKey = new Uint8Array(32).fill(7);
const owner = { organisationId: 'organisation-1', keyId: 'key-1', orderId: '1042' };

describe('the ID of an assistant’s task', () => {
  // Red when: the seal leaves a part of the ID out, as it did the time.
  it('with any one digit changed it is nobody’s task', async () => {
    const { operationId } = await operationOfTask(sharedKey, { ...owner, another: '' }, () =>
      Promise.resolve({}),
    );
    expect(isOwnTask(sharedKey, owner, operationId)).toBe(true);
    const slips = [...operationId].flatMap((digit, at) =>
      [...'0123456789abcdef']
        .filter((other) => digit !== '-' && other !== digit)
        .map((other) => operationId.slice(0, at) + other + operationId.slice(at + 1)),
    );
    expect(slips).toHaveLength(32 * 15);
    expect(slips.filter((slip) => isOwnTask(sharedKey, owner, slip))).toEqual([]);
  });

  it('is of one key, one order and one organisation', async () => {
    const { operationId } = await operationOfTask(sharedKey, { ...owner, another: '' }, () =>
      Promise.resolve({}),
    );
    for (const other of [{ keyId: 'key-2' }, { orderId: '1043' }, { organisationId: 'organisation-2' }]) {
      expect(isOwnTask(sharedKey, { ...owner, ...other }, operationId)).toBe(false);
    }
  });
});
