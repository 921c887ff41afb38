/** A column in which people may have typed somebody's name. `shown`: what is changed in it is told to devices. */
export type TypedPlace = {
  readonly table: string;
  readonly column: string;
  readonly holds: 'text' | 'json';
  readonly shown?: 'operation' | 'order' | 'ticket';
  /** The row goes as a whole: its digest stands in the audit, so it is there as it was or not at all. */
  readonly goes?: true;
};

/**
 * Every column of an organisation that holds what people or programs typed. What is not here holds IDs, closed words,
 * numbers, hashes and signatures: a test plants a name everywhere it can be typed and looks for it in the whole database.
 */
export const typedPlaces: readonly TypedPlace[] = [
  { table: 'operations', column: 'note', holds: 'text', shown: 'operation' },
  { table: 'operations', column: 'end_reason', holds: 'text', shown: 'operation' },
  { table: 'operations', column: 'settlement', holds: 'json', shown: 'operation' },
  { table: 'operations', column: 'resolution', holds: 'json', shown: 'operation' },
  { table: 'operations', column: 'sent_back', holds: 'json', shown: 'operation' },
  { table: 'operation_conversations', column: 'conversation', holds: 'json', goes: true },
  { table: 'operations', column: 'follow_up', holds: 'json', shown: 'operation' },
  { table: 'ticket_notes', column: 'facts', holds: 'json' },
  { table: 'announcements', column: 'payload', holds: 'text' },
  { table: 'announcement_endpoints', column: 'description', holds: 'text' },
  { table: 'commands', column: 'verdict', holds: 'json' },
  { table: 'observations', column: 'finding', holds: 'json' },
  { table: 'attempts', column: 'finding', holds: 'json' },
  { table: 'provider_events', column: 'event', holds: 'json' },
  { table: 'provider_events', column: 'raw', holds: 'text' },
  { table: 'provider_events', column: 'last_failure', holds: 'text' },
  { table: 'mirror_refunds', column: 'failure_reason', holds: 'text' },
  { table: 'case_entries', column: 'note', holds: 'text' },
  { table: 'organisations', column: 'hold_reason', holds: 'text' },
  { table: 'policy_versions', column: 'note', holds: 'text' },
  { table: 'policy_changes', column: 'note', holds: 'text' },
  { table: 'policy_changes', column: 'reason', holds: 'text' },
  { table: 'recoveries', column: 'reason', holds: 'text' },
  { table: 'api_keys', column: 'name', holds: 'text' },
  { table: 'actors', column: 'name', holds: 'text' },
  { table: 'orders', column: 'customer_name', holds: 'text', shown: 'order' },
  { table: 'orders', column: 'lines', holds: 'json', shown: 'order' },
  { table: 'tickets', column: 'subject', holds: 'text', shown: 'ticket' },
  { table: 'tickets', column: 'messages', holds: 'json', shown: 'ticket' },
];
