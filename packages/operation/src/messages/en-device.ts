/**
 * The texts that a device says by itself, before the server has said anything or between two of its answers. Apart
 * from the rest, so that a first screen need not load every sentence there is.
 */
export const englishOnDevice = {
  draft: 'Not sent. Only on this device.',
  queued: {
    connection: 'Saved on this device. It will be sent when there is a connection.',
    'sign-in': 'Saved on this device. It will be sent when you sign in.',
    open: 'Saved on this device. It will be sent when Holdfast is open and there is a connection.',
  },
  sent: 'Sent. Waiting to hear that it arrived.',
  approved: 'Approved. It will be submitted next.',
  /** Whichever of the next and the one before a longer sentence begins with. */
  approvedLead: /^Approved\. It (will be submitted next|can be taken back for \d+ seconds?)\./,
  undo: (seconds: number): string =>
    `Approved. It can be taken back for ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
};

export type MessagesOnDevice = typeof englishOnDevice;
