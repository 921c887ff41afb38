import { canonicalJson, type Command, type JsonValue } from '@holdfast/operation';
import { hashOfText } from '../audit/audit-chain.ts';

/** SHA-256 of what a command asks: the same ID with another digest is another command under a used ID. */
export const digestOfCommand = (command: Command): string => {
  const { subject: _who, ...asked } = command;
  return hashOfText(canonicalJson(JSON.parse(JSON.stringify(asked)) as JsonValue));
};
