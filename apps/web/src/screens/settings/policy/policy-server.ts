import {
  policyAnswerSchema,
  policyDeskSchema,
  policyPreviewSchema,
  type Policy,
  type PolicyDesk,
  type PolicyOutcome,
  type PolicyPreview,
} from '@holdfast/operation';
import type { Answer, Server } from '../../../model/server.ts';

export type PolicySaved = { readonly outcome: PolicyOutcome; readonly desk: PolicyDesk };

const change = (id: string, word: 'approve' | 'refuse'): string =>
  `/v1/policy/changes/${encodeURIComponent(id)}/${word}`;
const saved = (body: unknown): PolicySaved => policyAnswerSchema.parse(body);

/** What the server says and does about the policy. Nothing of it is queued: an admin hears the answer or is told so. */
export const policyAt = (server: Server) => ({
  show: (): Promise<Answer<PolicyDesk>> =>
    server.ask('get', '/v1/policy', null, (body) => policyDeskSchema.parse(body)),
  preview: (policy: Policy): Promise<Answer<PolicyPreview>> =>
    server.ask('post', '/v1/policy/preview', { policy }, (body) => policyPreviewSchema.parse(body)),
  save: (policy: Policy, note: string): Promise<Answer<PolicySaved>> =>
    server.ask('put', '/v1/policy', { basedOn: policy.version, policy, note }, saved),
  approve: (id: string): Promise<Answer<PolicySaved>> => server.ask('post', change(id, 'approve'), {}, saved),
  refuse: (id: string): Promise<Answer<PolicySaved>> => server.ask('post', change(id, 'refuse'), {}, saved),
});
