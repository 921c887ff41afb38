import {
  policyAnswerSchema,
  policyChangeRequestSchema,
  policyDeskSchema,
  policyPreviewRequestSchema,
  policyPreviewSchema,
  policyRefusalRequestSchema,
} from '@holdfast/operation';
import type { PolicyDeskAnswer } from '@holdfast/engine';
import { problemResponse, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

/** The policy is read and changed by people: a key is refused before anything is looked at, whoever owns it. */
const shared = { needs: ['admin'], peopleOnly: true } as const;

/** 202: nothing is changed yet, a second admin has to agree. */
const answered = (answer: PolicyDeskAnswer): Response =>
  answer.ok
    ? json(answer.outcome === 'waiting' ? 202 : 200, { outcome: answer.outcome, desk: answer.desk })
    : problemResponse(answer.problem);

const changeId = (id: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id.toLowerCase();
  throw refuse('not-found', 'There is no change of the policy with this ID.');
};

const decided = { 200: { description: 'What came of it', schema: policyAnswerSchema } };

export const policyRoutes: readonly GuardedRoute[] = [
  guarded({
    ...shared,
    method: 'get',
    path: '/v1/policy',
    summary: 'The policy in force, what waits for a second admin, and every version before.',
    answers: { 200: { description: 'The policy and its history', schema: policyDeskSchema } },
    handle: async ({ engine, who }) => json(200, await engine.policy.show(who)),
  }),
  guarded({
    ...shared,
    method: 'post',
    path: '/v1/policy/preview',
    summary: 'What a policy would have done to the operations of the last month. Changes nothing.',
    body: policyPreviewRequestSchema,
    answers: { 200: { description: 'What would be treated otherwise', schema: policyPreviewSchema } },
    handle: async ({ engine, who, body }) => json(200, await engine.policy.preview(who, body.policy)),
  }),
  guarded({
    ...shared,
    method: 'put',
    path: '/v1/policy',
    summary: 'Change the policy: a tightening is in force at once, a loosening waits for a second admin.',
    body: policyChangeRequestSchema,
    answers: {
      200: { description: 'It is in force, or nothing was new in it', schema: policyAnswerSchema },
      202: { description: 'It waits for a second admin; nothing is changed yet', schema: policyAnswerSchema },
    },
    handle: async ({ engine, who, body }) => answered(await engine.policy.change(who, body)),
  }),
  guarded({
    ...shared,
    method: 'post',
    path: '/v1/policy/changes/{id}/approve',
    summary: 'The second admin’s word: the change comes into force.',
    pathId: 'outside',
    answers: decided,
    handle: async ({ engine, who, id }) => answered(await engine.policy.approve(who, changeId(id))),
  }),
  guarded({
    ...shared,
    method: 'post',
    path: '/v1/policy/changes/{id}/refuse',
    summary: 'Stop a change that waits. Whoever proposed it takes it back by this.',
    pathId: 'outside',
    body: policyRefusalRequestSchema,
    answers: decided,
    handle: async ({ engine, who, id, body }) =>
      answered(await engine.policy.refuse(who, changeId(id), body.reason ?? null)),
  }),
];
