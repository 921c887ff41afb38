import type { Letter } from './mail.ts';

/** What every letter ends with where it tells of something that its reader may not have done. */
const ifNotYou =
  'If this was not you, tell an admin of your organisation now, and end your other sessions at';

const letter = (to: string, subject: string, ...paragraphs: readonly string[]): Letter => ({
  to,
  subject: `Holdfast: ${subject}`,
  text: `${paragraphs.join('\n\n')}\n`,
});

export const resetLetter = (to: string, link: string): Letter =>
  letter(
    to,
    'choose a new password',
    'Somebody, probably you, asked for a new password for this address.',
    `Choose it here: ${link}`,
    'The link works once, within one hour. Choosing a password signs you out everywhere.',
    'If you did not ask for this, you need do nothing: your password stays as it is.',
  );

/** What was changed about how somebody signs in: told to them, whoever did it. */
export type SignInChange = 'passkey-registered' | 'passkey-revoked' | 'password-changed';

const changes: Readonly<Record<SignInChange, { subject: string; sentence: string }>> = {
  'passkey-registered': {
    subject: 'a passkey was added',
    sentence: 'A passkey was added to your sign-in. It can sign in and sign approvals in your name.',
  },
  'passkey-revoked': {
    subject: 'a passkey was revoked',
    sentence: 'A passkey of yours was revoked. It opens and signs nothing any more.',
  },
  'password-changed': {
    subject: 'your password was changed',
    sentence: 'Your password was changed. Your other sessions have ended.',
  },
};

export const changeLetter = (to: string, change: SignInChange, origin: string): Letter =>
  letter(to, changes[change].subject, changes[change].sentence, `${ifNotYou} ${origin}/you/security`);
