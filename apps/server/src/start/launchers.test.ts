import { describe, expect, it } from 'vitest';
import { runnersAbove, type Ancestor } from './launchers.ts';

const family = (...members: [number, number, string][]) => {
  const known = new Map(
    members.map(([pid, parent, name]): [number, Ancestor] => [pid, { pid, parent, name }]),
  );
  return (pid: number) => known.get(pid);
};

describe('what started us', () => {
  it('is every package runner above, with the shells between them', () => {
    const read = family(
      [9, 8, 'sh'],
      [8, 7, 'pnpm'],
      [7, 6, 'sh'],
      [6, 5, 'npm exec pnpm@1'],
      [5, 4, 'bash'],
      [4, 1, 'sshd'],
    );
    expect(runnersAbove(9, read)).toEqual([9, 8, 7, 6]);
  });

  it('is nobody where a shell, a supervisor or an unknown process started us: those may end before us', () => {
    expect(runnersAbove(5, family([5, 4, 'bash'], [4, 1, 'sshd']))).toEqual([]);
    expect(runnersAbove(5, family([5, 1, 'systemd']))).toEqual([]);
    expect(runnersAbove(5, () => undefined)).toEqual([]);
    expect(runnersAbove(1, () => undefined)).toEqual([]);
  });
});
