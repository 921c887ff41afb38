import type { Told } from '../sign-in/recovery-store.ts';
import type { Letter } from './mail.ts';

export type RecoveryNews = 'asked' | 'agreed' | 'withdrawn' | 'used';

const letter = (to: string, subject: string, ...paragraphs: readonly string[]): Letter => ({
  to,
  subject: `Holdfast: ${subject}`,
  text: `${paragraphs.join('\n\n')}\n`,
});

type Words = {
  readonly subject: string;
  readonly person: readonly string[];
  readonly admin: readonly string[];
};

const wordsFor = (
  news: RecoveryNews,
  { recovery, person, by }: Told & { readonly by: string },
  origin: string,
): Words => {
  const settings = `${origin}/settings/people`;
  const until = recovery.expiresAt.toISOString().slice(0, 16).replace('T', ' ');
  switch (news) {
    case 'asked':
      return {
        subject: 'recovery of a sign-in was asked for',
        person: [
          `${by} asked for your sign-in to be recovered, because: ${recovery.reason}`,
          'When a second admin agrees, your passkeys are revoked, your password no longer counts and all your sessions end. You then get a link to begin anew.',
          'If you can sign in and want none of this, tell another admin of your organisation now: any of them can withdraw it.',
        ],
        admin: [
          `${by} asked for the sign-in of ${person.name} to be recovered, because: ${recovery.reason}`,
          `It needs a second admin, until ${until} UTC. Agree only after you have spoken to ${person.name}, not after a message alone.`,
          `Agree or withdraw: ${settings}`,
        ],
      };
    case 'agreed':
      return {
        subject: 'a sign-in was recovered',
        person: [
          `${by} agreed, as the second admin. Your passkeys were revoked, your password no longer counts and all your sessions have ended.`,
          'You begin anew with a link that you get by a letter of its own or from that admin. It works once, within 24 hours.',
          'If you did not ask for this, tell another admin of your organisation now.',
        ],
        admin: [
          `${by} agreed that the sign-in of ${person.name} be recovered. Their passkeys were revoked and their sessions have ended; what they signed before stays verifiable.`,
          `If something is wrong with it: ${settings}`,
        ],
      };
    case 'withdrawn':
      return {
        subject: 'recovery of a sign-in was withdrawn',
        person: [`${by} withdrew the recovery of your sign-in. You sign in as before.`],
        admin: [`${by} withdrew the recovery of the sign-in of ${person.name}. Nothing was changed.`],
      };
    case 'used':
      return {
        subject: 'a recovered sign-in is in use',
        person: [
          'A new password was chosen for your recovered sign-in.',
          `If this was not you, tell an admin of your organisation now. Add a passkey: ${origin}/you/security`,
        ],
        admin: [
          `${person.name} chose a new password after their sign-in was recovered.`,
          `If they say that it was not them, end their sessions and recover again: ${settings}`,
        ],
      };
  }
};

/** To the person and to every admin of the organisation, whoever did it. */
export const recoveryLetters = (
  news: RecoveryNews,
  told: Told & { readonly by: string },
  origin: string,
): readonly Letter[] => {
  const { subject, person, admin } = wordsFor(news, told, origin);
  return [
    ...(told.person.email === '' ? [] : [letter(told.person.email, subject, ...person)]),
    ...told.admins.map(({ email }) => letter(email, subject, ...admin)),
  ];
};

export const recoveryLinkLetter = (to: string, link: string): Letter =>
  letter(
    to,
    'begin anew',
    'Two admins of your organisation agreed that your sign-in be recovered.',
    `Choose a new password here: ${link}`,
    'The link works once, within 24 hours. After signing in, add a new passkey under You, Security.',
    'If you did not ask for this, do not use the link and tell an admin of your organisation now.',
  );

export const sessionsEndedLetter = (to: string, by: string): Letter =>
  letter(
    to,
    'your sessions were ended',
    `${by} ended all your sessions, as an admin of your organisation. You can sign in again as before.`,
  );
