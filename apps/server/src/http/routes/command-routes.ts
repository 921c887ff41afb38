import type { SubmittedCommand } from '@holdfast/engine';
import {
  commandBatchSchema,
  commandResultsSchema,
  commandSchema,
  lookupRequestSchema,
  lookupResponseSchema,
  parseOperationId,
  personOfSubject,
  roleMay,
  type Command,
  type CommandType,
  type Role,
} from '@holdfast/operation';
import { z } from 'zod';
import type { Identity } from '../../sign-in/identify.ts';
import { scopeCovers } from '../../sign-in/key-rules.ts';
import { invalidFields, problemOf } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';
import { forbidsDeciding, forbidsProposal } from './operation-routes.ts';

const needs: Record<CommandType, readonly Exclude<Role, 'admin'>[]> = {
  propose: ['agent', 'operator'],
  approve: ['approver'],
  withdraw: ['approver'],
  deny: ['approver'],
  cancel: ['agent', 'operator'],
  resolve: ['operator'],
};

const forbids = (identity: Identity, command: Command, keyApprovals: boolean): string | undefined => {
  const { role } = identity.principal.actor;
  if (!needs[command.type].some((needed) => roleMay(role, needed))) {
    return `To ${command.type} needs the role ${needs[command.type].join(' or ')}; yours is ${role}.`;
  }
  const isProposing = command.type === 'propose' || command.type === 'cancel';
  if (!isProposing && !scopeCovers(identity.scope, 'role')) return 'This key may read and propose.';
  switch (command.type) {
    case 'propose':
      return forbidsProposal(identity, command);
    case 'approve':
    case 'withdraw':
    case 'deny':
    case 'resolve':
      return forbidsDeciding(keyApprovals, command.type)(identity);
    case 'cancel':
      return undefined;
  }
};

const textField = (raw: unknown, field: string): string => {
  const parsed = z.looseObject({ [field]: z.string() }).safeParse(raw);
  return parsed.success ? String(parsed.data[field]) : '';
};

/** The IDs a refusal is about, as far as the command can be read at all. */
const idsOf = (raw: unknown) => {
  const commandId = textField(raw, 'commandId');
  const operationId = parseOperationId(textField(raw, 'operationId'));
  return {
    commandId: parseOperationId(commandId) ?? commandId,
    ...(operationId === undefined ? {} : { operationId }),
  };
};

const isSamePerson = (subject: string, identity: Identity): boolean =>
  personOfSubject(subject) === personOfSubject(identity.subject);

/** Judges one command of a batch by itself, so that it can spoil no other. */
export const judgeCommand = (raw: unknown, identity: Identity, keyApprovals: boolean): SubmittedCommand => {
  const ids = idsOf(raw);
  const parsed = commandSchema.safeParse(raw);
  const subject = textField(raw, 'subject');
  if (subject !== '' && subject !== identity.subject) {
    const detail = isSamePerson(subject, identity)
      ? 'It was given for another organisation than the one this session is for. It waits until you switch to that.'
      : 'It was given by somebody else than the one who sends it. It waits until they sign in.';
    return { ok: false, commandId: ids.commandId, problem: problemOf('wrong-subject', detail, ids) };
  }
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({
      path: issue.path.join('.'),
      message: issue.message,
    }));
    return { ok: false, commandId: ids.commandId, problem: { ...invalidFields(issues), ...ids } };
  }
  const forbidden = forbids(identity, parsed.data, keyApprovals);
  if (forbidden === undefined) return { ok: true, command: parsed.data };
  return { ok: false, commandId: ids.commandId, problem: problemOf('forbidden', forbidden, ids) };
};

const batchBytes = 4 * 1024 * 1024;

export const commandRoutes = (keyApprovals: boolean): GuardedRoute[] => [
  guarded({
    method: 'post',
    path: '/v1/commands',
    scope: 'propose',
    summary: 'Up to 500 commands, each with its own verdict, in order.',
    needs: 'any',
    body: commandBatchSchema,
    maximumBytes: batchBytes,
    answers: { 200: { description: 'A verdict for each command', schema: commandResultsSchema } },
    handle: async ({ engine, who, identity, body }) => {
      const commands = body.commands.map((raw) => judgeCommand(raw, identity, keyApprovals));
      return json(200, { results: await engine.apply(who, commands) });
    },
  }),
  guarded({
    method: 'post',
    path: '/v1/operations/lookup',
    scope: 'read',
    summary: 'What became of these IDs, for a client that comes back.',
    needs: 'any',
    body: lookupRequestSchema,
    answers: { 200: { description: 'Each ID with its operation, or null', schema: lookupResponseSchema } },
    handle: async ({ engine, who, body }) => {
      return json(200, await engine.lookUp(who, body.ids));
    },
  }),
];
