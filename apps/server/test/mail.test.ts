import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineMail } from '../src/command-line/doctor-mail.ts';
import { MailNotSent, openMail, type MailParts } from '../src/mail/mail.ts';
import { readSettings } from '../src/settings/settings.ts';
import { StartProblem } from '../src/settings/start-problem.ts';
import { startMailCatcher, type MailCatcher } from './mail-catcher.ts';

let catcher: MailCatcher;
beforeAll(async () => {
  catcher = await startMailCatcher();
});
afterAll(() => catcher.stop());

const letter = { to: 'ann@example.test', subject: 'A link', text: 'Grüße.\nhttp://localhost/x?token=a=b' };
const from = 'refunds@example.test';

const parts = (changed: Partial<MailParts>): MailParts => ({
  smtp: undefined,
  demo: false,
  show: () => undefined,
  onNowhere: () => undefined,
  ...changed,
});

const refusalOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('it went well');
};

describe('letters', () => {
  // Red when: the text is changed on the way, or another sender than the one set is named.
  it('go over the mail server that is set, from the sender that is set, word for word', async () => {
    const mail = openMail(parts({ smtp: { url: catcher.url, from }, demo: true }));
    await mail.send(letter);
    mail.close();
    const caught = await catcher.next(letter.to);
    expect(caught.from).toBe(from);
    expect(caught.text).toContain('Subject: A link');
    expect(caught.text).toContain('Grüße.');
    expect(caught.text).toContain('http://localhost/x?token=a=b');
  });

  // Red when: the mail server's own words are passed on: they repeat the address.
  it('that the mail server refuses are said not to have left, without naming anybody', async () => {
    const mail = openMail(parts({ smtp: { url: catcher.url, from } }));
    catcher.refuseAll(true);
    const error = await refusalOf(mail.send(letter));
    catcher.refuseAll(false);
    mail.close();
    expect(error).toBeInstanceOf(MailNotSent);
    expect(error).toMatchObject({ because: 'refused-or-lost', code: 'EENVELOPE' });
    expect(JSON.stringify([String(error), error])).not.toContain('ann@');
  });

  // Red when: a server that is no demo shows its letters where logs are read.
  it('are shown on the console in the demo alone; else they are not sent, and that is said once', async () => {
    const shown: string[] = [];
    let said = 0;
    const show = (text: string): number => shown.push(text);
    await openMail(parts({ demo: true, show })).send(letter);
    expect(shown.join('')).toContain('http://localhost/x?token=a=b');
    const nowhere = openMail(parts({ show, onNowhere: () => (said += 1) }));
    for (let times = 0; times < 3; times += 1) {
      expect(await refusalOf(nowhere.send(letter))).toMatchObject({ because: 'not-set-up' });
    }
    expect(said).toBe(1);
    expect(shown).toHaveLength(1);
  });
});

describe('the settings of mail', () => {
  // Red when: a URL without a sender starts, so that the first letter fails instead of the start.
  it('are taken together or not at all, and never quoted', () => {
    const given = { HOLDFAST_SMTP_URL: 'smtp://me:secret-word@mail.example.test', HOLDFAST_MAIL_FROM: from };
    expect(readSettings(given).smtp).toEqual({ url: given.HOLDFAST_SMTP_URL, from });
    expect(readSettings({}).smtp).toBeUndefined();
    for (const [name, value] of [
      ...Object.entries(given),
      ['HOLDFAST_SMTP_URL', 'http://me:secret-word@x'],
    ]) {
      let told: unknown;
      try {
        readSettings({ [name ?? '']: value });
      } catch (error) {
        told = error;
      }
      expect(told, name).toBeInstanceOf(StartProblem);
      expect((told as StartProblem).line).toContain(name);
      expect((told as StartProblem).line).not.toContain('secret-word');
    }
  });

  // Red when: doctor calls a mail server fine without asking it.
  it('are examined by doctor: not set up is a note, a mail server that does not answer is a fault', async () => {
    const base = readSettings({ HOLDFAST_DEMO: 'off' });
    expect(await examineMail(base)).toMatchObject({ ok: true, note: true });
    expect(await examineMail({ ...base, smtp: { url: catcher.url, from } })).toMatchObject({ ok: true });
    const gone = await startMailCatcher();
    await gone.stop();
    expect(await examineMail({ ...base, smtp: { url: gone.url, from } })).toMatchObject({ ok: false });
  });
});
