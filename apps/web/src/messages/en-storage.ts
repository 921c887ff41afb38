/** How this device's storage stands, and what to do about it. */
export const storage = {
  failedTitle: 'This device cannot store anything right now',
  failed:
    'What you enter is not saved. You can still fill in a refund and send it at once while its screen stays open.',
  blockedTitle: 'Another tab with an older version holds the storage',
  blocked: 'Close the other tabs of Holdfast. This one goes on by itself then.',
  updatedTitle: 'Another tab runs a newer version',
  readOnlyTitle: 'What is stored here is of a newer version than this tab',
  readOnly:
    'This tab only shows it. It saves nothing and sends nothing. Reload it; everything that is saved stays.',
  reload: 'Reload',
  showRecord: 'Show what is stored',
  lostTitle: 'This browser has cleared what was stored here',
  lost: (since: string, until: string) =>
    `The list on this device is new. What was written here between ${since} and ${until} is gone from it.`,
  lostNothing: 'Nothing was waiting to be sent.',
  lostWaiting: (count: number) =>
    count === 1 ? 'One item waited here, not yet received.' : `${count} items waited here, not yet received.`,
  lostState: {
    known: 'Holdfast has it.',
    missing: 'It was only on this device, and is gone. Search for its payment before you enter it again.',
    'not-asked': 'Holdfast has not been asked yet. That happens by itself when there is a connection.',
  },
  lostItem: 'Refund proposal',
  lostRead: 'I have read this',
  installTitle: 'Install Holdfast before your first refund',
  install:
    'On this phone or tablet the installed app and this browser do not share what they store. Add Holdfast to the home screen first (Share, then Add to Home Screen), open it there and sign in there.',
};
