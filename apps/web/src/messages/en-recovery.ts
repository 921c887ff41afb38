/** A lost sign-in is recovered by two admins; an admin ends somebody's sessions. */
export const recovery = {
  recover: 'Recover sign-in',
  endSessions: 'End their sessions',
  waitsTitle: 'Recoveries that wait for a second admin',
  askTitle: (name: string) => `Recover the sign-in of ${name}?`,
  askText:
    'Nothing changes before a second admin agrees, within 7 days. They and all admins are told now. Then their passkeys are revoked, their password no longer counts, all their sessions end, and they begin anew with a link.',
  reason: 'Why',
  reasonMissing: 'Say why: the second admin reads it.',
  ask: 'Ask a second admin',
  asked: (name: string) => `Asked. A second admin has to agree that the sign-in of ${name} be recovered.`,
  whose: (name: string) => `Sign-in of ${name}`,
  by: (name: string) => `Asked for by ${name}`,
  runsOut: 'runs out',
  ownWord: 'You asked for this: another admin has to agree.',
  ownSignIn: 'This is your own sign-in: two other admins have to agree.',
  agree: 'Agree as second admin',
  agreeTitle: (name: string) => `Recover the sign-in of ${name} now?`,
  agreeText: (name: string) =>
    `Agree only after you have spoken to ${name}. Their passkeys are revoked, their password no longer counts and all their sessions end. This is not undone.`,
  mailed: (name: string) =>
    `Done. A link to begin anew is on its way to ${name}. It works once, within 24 hours.`,
  handOn: (name: string) =>
    `Done. No letter was sent: hand this link to ${name} yourself. It works once, within 24 hours, and is not shown again.`,
  withdraw: 'Withdraw',
  withdrawn: (name: string) => `The recovery of ${name} is withdrawn. They sign in as before.`,
  endTitle: (name: string) => `End all sessions of ${name}?`,
  endText:
    'They are signed out on every device, at once, and told so. What waits on a device stays there. They can sign in again as before.',
  ended: (name: string, count: number) =>
    count === 0
      ? `${name} was signed in nowhere.`
      : `${name} was signed out: ${count === 1 ? '1 session' : `${String(count)} sessions`} ended.`,
};
