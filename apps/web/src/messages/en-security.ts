/** How a person signs in: passkeys, sessions, password. */
export const security = {
  title: 'Passkeys and sessions',
  lead: 'How you sign in and sign approvals, and where you are signed in.',

  passkeys: 'Passkeys',
  passkeysHow:
    'A passkey signs you in without a password, and signs what you approve, also without a connection.',
  noPasskeys: 'You have no passkey yet.',
  add: 'Add a passkey',
  name: 'Name',
  nameHint: 'By which you will know it again, like the device it is on.',
  nameMissing: 'Give it a name.',
  make: 'Make the passkey',
  added: (name: string) => `"${name}" is ready: it signs you in, and signs what you approve.`,
  created: 'added',
  used: 'last used',
  neverUsed: 'never used',
  synced: 'kept in step between devices',
  elsewhere: (name: string) => `Belongs to ${name}, and does not work here.`,
  copied: 'It was refused: it counts as if there were a copy of it. Revoke it, and tell an admin.',
  rename: 'Rename',
  save: 'Save the name',
  renamed: (name: string) => `It is called "${name}" now.`,
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke "${name}"?`,
  revokeText:
    'It works no more, at once and for good, and the sessions that it opened end, but for this one. What it has signed stays signed.',
  revokeLast:
    'It is your only passkey. Two admins have to let you register another one afterwards, so add the new one first if you can.',
  revoked: (name: string) => `"${name}" works no more.`,
  revokedTitle: 'Revoked',
  revokedAt: 'revoked',
  recovery:
    'You had a passkey and have none any more, so two admins have to let you register a new one. Tell an admin.',

  notHere: {
    'address-is-a-number': (origin: string) =>
      `Passkeys need a name, and this Holdfast is reached at ${origin}, an address of numbers. Whoever runs it can give it one.`,
    'not-encrypted': (origin: string) =>
      `Passkeys need an encrypted connection, and ${origin} has none. Whoever runs this Holdfast can set it up.`,
    'another-address': (origin: string) => `Passkeys belong to ${origin}, and this page came from elsewhere.`,
    'no-browser': 'This browser has no passkeys. Use another one, or a newer version.',
  },
  openThere: (origin: string) => `Open ${origin}`,
  letGo: 'No passkey was made. Nothing was changed.',
  already: 'This device holds a passkey of yours already.',
  notMade: 'This browser could not make a passkey. Nothing was changed.',

  confirmTitle: 'Confirm that it is you',
  confirmText: 'This changes how you sign in. It is asked again after ten minutes.',
  confirmPasskeyText: 'This changes how you sign in, so a passkey that you already have is needed.',
  confirmPasskey: 'Use a passkey',
  confirmPassword: 'Confirm with the password',
  confirmLetGo: 'No passkey was used.',
  confirmNotHere: 'None of your passkeys works at this address. Do this where one of them works.',
  password: 'Your password',
  wrongPassword: 'This is not your password.',

  sessions: 'Where you are signed in',
  thisOne: 'This one',
  unknownDevice: 'An unknown browser',
  since: 'since',
  seen: 'last seen',
  end: 'End',
  endLabel: (device: string) => `End the session of ${device}`,
  ended: 'That session has ended.',
  endOthers: 'Sign out everywhere else',
  endOthersTitle: 'Sign out everywhere else?',
  endOthersText:
    'Every other session of yours ends at once. What waits unsent on those devices stays there, and goes out when you sign in on them again.',
  endedOthers: (count: number) =>
    count === 1 ? 'One other session has ended.' : `${count} other sessions have ended.`,

  passwordTitle: 'Password',
  changePassword: 'Change the password',
  setPassword: 'Set a password',
  newPassword: 'New password',
  passwordHint: 'At least 10 characters. A few plain words are good.',
  tooShort: 'Use at least 10 characters.',
  savePassword: 'Save the password',
  passwordSaved: 'Your password is changed. All your other sessions have ended.',
};
