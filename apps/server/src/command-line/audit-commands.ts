import { readFile, writeFile } from 'node:fs/promises';
import type { ChainFault, Seal } from '@holdfast/engine';
import { newestSeal, verifySignatures, verifyAudit } from '@holdfast/engine/postgres';
import type { Command } from 'commander';
import { readKeptSeals, sealIn, sealText } from '../audit/kept-seals.ts';
import { oneSealingKey, sealSignerOf, strangersKey } from '../audit/seal-key.ts';
import { sealNow } from '../audit/seal-regularly.ts';
import { recheckProof } from '../sign-in/check-assertion.ts';
import { makeSealingKey, readSealingKey } from '../start/sealed-secrets.ts';
import { collect } from './collected.ts';
import { commandFailed, counted, foundSomething, outputFor } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };
type VerifyOptions = Common & { seal: string[]; key: string[] };

const readSeal = async (file: string): Promise<Seal> => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const seal = text === undefined ? undefined : sealIn(text);
  if (seal !== undefined) return seal;
  throw commandFailed(
    text === undefined ? `${file} cannot be read.` : `${file} is no seal.`,
    'Name a file that `holdfast audit seal --out FILE` wrote, or that the audit screen gave.',
  );
};

/** This installation's own key, and those that are said to be earlier ones. None known: each seal is held to its own. */
const trustedKeys = async ({ settings }: Workplace, given: readonly string[]) => {
  const sealingKey = await readSealingKey(settings.dataFolder, settings.secretsKey);
  if (sealingKey === undefined) return given.length === 0 ? null : given;
  return [sealSignerOf(sealingKey).publicKey, ...given];
};

const faultLine = ({ chain, sequence, because }: ChainFault): string =>
  `${chain}  ${chain === 'seals' ? 'number' : 'entry'} ${String(sequence)}  ${because}`;

const verify = async ({ json, org, seal: files, key }: VerifyOptions): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async (workplace) => {
    const { inOrganisation, organisation, settings, store } = workplace;
    const organisationId = await organisation(org);
    const named = await Promise.all(files.map(readSeal));
    const kept = [...named, ...(await readKeptSeals(settings.dataFolder, organisationId))];
    const keys = await trustedKeys(workplace, key);
    if (keys === null)
      output.note('This machine does not hold the key that seals are signed with: name it with --key.');
    const found = collect<ChainFault>();
    const read = await verifyAudit(inOrganisation, organisationId, found.tell, { keys, kept });
    // With the public key kept beside each signature, so that it holds whatever became of the passkey since.
    const { signatures } = await verifySignatures(inOrganisation, organisationId, recheckProof, found.tell);
    const { operations, entries, seals } = read;
    const clean = found.total() === 0;
    // What was found is itself a fact that belongs in the audit: the screen says when it was last looked through.
    await store.recordAct(organisationId, {
      type: 'audit-verified',
      by: 'command-line',
      subject: 'audit',
      data: { clean, operations, entries, seals, faults: found.total(), kept: kept.length },
    });
    const so = `Checked ${counted(entries, 'entry', 'entries')} of ${counted(operations, 'operation')}, ${counted(signatures, 'signature')}`;
    const beside = `${counted(seals, 'seal')}, ${counted(kept.length, 'of them kept elsewhere', 'of them kept elsewhere')}`;
    output.result(
      {
        clean,
        organisationId,
        operations,
        entries,
        signatures,
        seals,
        keptSeals: kept.length,
        found: found.total(),
        faults: found.shown,
      },
      [
        ...found.shown.map(faultLine),
        `${so} and ${beside}: ${clean ? 'nothing was tampered with.' : `${counted(found.total(), 'fault')}.`}`,
      ],
    );
    if (clean) return;
    const stranger = strangersKey(await inOrganisation(organisationId, newestSeal), keys);
    if (stranger !== null) {
      output.note(`Of the audit, ${oneSealingKey} If ${stranger} is a key of yours, name it with --key.`);
    }
    output.note(
      'Submit nothing until it is understood (`holdfast hold on`), keep a copy of the database, and look at each with `holdfast op show ID`.',
    );
    foundSomething();
  });
};

const seal = async ({ json, org, out }: Common & { out?: string }): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ inOrganisation, organisation, settings }) => {
    const organisationId = await organisation(org);
    const { dataFolder, secretsKey } = settings;
    const signer = async () => sealSignerOf(await makeSealingKey(dataFolder, secretsKey));
    const made = await sealNow({ inOrganisation, signer, dataFolder }, organisationId);
    const newest = made ?? (await inOrganisation(organisationId, newestSeal));
    if (newest === null) {
      throw commandFailed('There is nothing to seal yet.', 'Seal again once something has been audited.');
    }
    if (out !== undefined) await writeFile(out, sealText(newest), { mode: 0o600 });
    const about = `Seal ${String(newest.number)} of ${newest.at}, hash ${newest.hash}`;
    output.result({ ...newest, file: out ?? null }, [
      out === undefined ? sealText(newest).trimEnd() : `${about}, is in ${out}.`,
    ]);
    output.note('Keep it where nobody who can change the database can change it too.');
  });
};

const gathered = (value: string, before: string[]): string[] => [...before, value];

export const addAuditCommands = (program: Command): void => {
  const audit = program.command('audit').description('the audit trail');
  audit
    .command('verify')
    .description(
      'check everything audited: entries, operations, approvals and seals; exit code 3 when something was tampered with',
    )
    .option('--org <id>', 'organisation; without it the default one')
    .option('--seal <file>', 'a seal that was kept elsewhere; may be given again', gathered, [])
    .option('--key <key>', 'a public key that signed seals before; may be given again', gathered, [])
    .option('--json', 'print {clean, operations, entries, seals, keptSeals, found, faults}')
    .action(verify);
  audit
    .command('seal')
    .description('seal what has been audited by now, and print the newest seal, to be kept elsewhere')
    .option('--org <id>', 'organisation; without it the default one')
    .option('--out <file>', 'write it to this file')
    .option('--json', 'print the seal')
    .action(seal);
};
