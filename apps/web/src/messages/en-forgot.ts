/** Somebody cannot get in. */
export const forgot = {
  link: 'Forgot your password?',
  title: 'A new password',
  lead: 'A link to choose a new one is mailed to you. It works once, within an hour.',
  button: 'Send the link',
  missing: 'Write your e-mail address.',
  done: 'If this address belongs to somebody here, a letter with a link is on its way to it. It may take a minute.',
  doneHow:
    'Nothing changes until the link is used. No letter? Look where unwanted mail goes, or ask an admin.',
  noMail: 'This Holdfast sends no letters. Ask an admin to help you in.',
  back: 'Back to signing in',
};
