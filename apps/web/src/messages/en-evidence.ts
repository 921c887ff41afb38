/** Words for what the record of evidence is kept under; its own term stands where there is none. */
const kinds: Readonly<Record<string, string>> = {
  'not-sent': 'Did not leave',
  deferred: 'Put off',
  rejected: 'Refused',
  'in-flight-elsewhere': 'Under way already',
  unknown: 'Not heard',
  accepted: 'Accepted',
  found: 'Found',
  'absent-yet': 'Nothing yet',
  'absent-final': 'Nothing, and too late to appear',
  'exhausted-elsewhere': 'Used up elsewhere',
  unattributed: 'Names nobody',
  'no-answer': 'No answer',
  'operator-settled': 'Settled by hand',
};

const sources: Readonly<Record<string, string>> = {
  response: 'Answer to a request',
  'look-up': 'A look',
  listing: 'A list',
  webhook: 'Webhook',
  operator: 'Operator',
};

export const evidence = {
  kind: (kind: string): string => kinds[kind] ?? kind,
  source: (source: string): string => sources[source] ?? source,
};
