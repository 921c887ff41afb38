import type { KeptReason } from '../outbox-interface.ts';

/**
 * Whether a failure speaks of the connection or the whole server (`stop`: the others would meet the same), or of
 * this one entry (`go-on`: it must not hold up the others).
 */
export const afterFailure: Record<KeptReason, 'stop' | 'go-on'> = {
  unreachable: 'stop',
  'timed-out': 'stop',
  interrupted: 'stop',
  'network-sign-in': 'stop',
  'foreign-answer': 'go-on',
  'sign-in': 'stop',
  'slow-down': 'stop',
  'update-needed': 'stop',
  'wrong-subject': 'stop',
  'not-allowed': 'go-on',
  'server-trouble': 'go-on',
  'too-large': 'go-on',
  'not-understood': 'go-on',
  'not-known-there': 'go-on',
};

/** A server that fails this many different entries in a row is left alone until the next round. */
export const failuresThatEndARound = 3;
