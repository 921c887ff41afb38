import { mailTrouble } from '../mail/mail.ts';
import { isLoopbackOrigin, type Settings } from '../settings/settings.ts';
import type { Check } from './doctor.ts';

const because: Readonly<Record<string, string>> = {
  EAUTH: 'it refuses the user or the password',
  EDNS: 'its name is not known here',
  ECONNECTION: 'it cannot be reached',
  ESOCKET: 'it cannot be reached, or its certificate is not trusted',
  ETIMEDOUT: 'it did not answer in time',
  ETLS: 'a protected connection could not be made',
};

/** Asks the mail server whether it would take letters from us; sends none. */
export const examineMail = async ({ smtp, demo }: Settings): Promise<Check> => {
  if (smtp === undefined && demo) {
    return { check: 'mail', ok: true, finding: "the demo's letters are shown where it was started" };
  }
  if (smtp === undefined) {
    return {
      check: 'mail',
      ok: true,
      note: true,
      finding: 'not set up: nobody can reset a password by themselves, and nothing is announced by mail',
      remedy: 'Set HOLDFAST_SMTP_URL and HOLDFAST_MAIL_FROM.',
    };
  }
  const { host, hostname, protocol } = new URL(smtp.url);
  const trouble = await mailTrouble(smtp);
  if (trouble !== undefined) {
    const finding = `${host}: ${because[trouble] ?? `it does not take letters (${trouble})`}`;
    return { check: 'mail', ok: false, finding, remedy: 'Put right HOLDFAST_SMTP_URL, or that mail server.' };
  }
  if (protocol === 'smtps:' || isLoopbackOrigin(`http://${hostname}`)) {
    return { check: 'mail', ok: true, finding: `${host} takes letters` };
  }
  return {
    check: 'mail',
    ok: true,
    note: true,
    finding: `${host} takes letters; links to set a password travel readable where it offers no encryption`,
    remedy: 'Use smtps:// in HOLDFAST_SMTP_URL where the mail server has it.',
  };
};
