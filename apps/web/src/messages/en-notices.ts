/** How somebody is told that something waits for them. */
export const notices = {
  title: 'Notices',
  lead: 'How you are told that a refund waits for your approval, that one of yours came back from the bank, that nobody can approve one, that nobody has taken a case, or that very many were proposed at once.',
  hereTitle: 'This browser',
  says: 'A notice says how many wait and in which organisation: no customer, no amount. It ends when you sign out here.',
  standings: {
    on: 'Notices are shown in this browser, also while Holdfast is closed.',
    off: 'Notices are not shown in this browser.',
    blocked:
      'The browser blocks notices of this site. Allow them in its settings for this site (often behind the sign to the left of the address), then come back here.',
    'not-here':
      'This browser cannot show notices here. On an iPhone or iPad, add Holdfast to the home screen and open it from there. Elsewhere you are told by mail, where your organisation sends mail.',
  },
  looking: 'Looking whether notices are shown here…',
  turnOn: 'Turn on notices here',
  turnOff: 'Turn off here',
  turnedOn: 'Notices are shown here from now on.',
  turnedOff: 'No more notices are shown here.',
  undecided: 'The browser was not allowed to show notices. Press again when you want them.',
  noPushService:
    'The browser could not reach its push service. Try again with a connection; nothing has changed.',
  devices: (count: number) =>
    count === 0
      ? 'You have no browser that shows notices.'
      : count === 1
        ? 'One browser of yours shows notices.'
        : `${count} browsers of yours show notices.`,
  wayTitle: 'Where you are told',
  way: 'Tell me',
  ways: {
    'push-else-mail': 'In my browsers; by mail when I have none',
    push: 'In my browsers only',
    mail: 'By mail only',
    off: 'Not at all',
  },
  mails: {
    leaves: 'Letters go to the address you sign in with, at most one in a quarter of an hour.',
    shown: 'This demo shows letters on its console, and only when you choose mail alone.',
    nowhere: 'Mail is not set up here, so nobody is told by mail.',
  },
  saved: 'Saved.',
  test: 'Send a notice to try it',
  tested: (places: number) =>
    places === 0
      ? 'There is nowhere to send it: turn on notices in a browser, or choose mail.'
      : places === 1
        ? 'It is on its way and arrives within half a minute.'
        : `It is on its way to ${places} places and arrives within half a minute.`,
  notForYou: 'Notices tell those who propose, approve and settle. You do none of it in this organisation.',
};
