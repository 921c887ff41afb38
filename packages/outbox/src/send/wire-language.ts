import type { KeptReason } from '../outbox-interface.ts';
import type { Reading, Words } from '../queue/words.ts';

/** The server's word on one command. */
export type CommandVerdict<W extends Words = Words> = {
  readonly commandId: string;
  readonly status: 'applied' | 'replayed' | 'rejected';
  readonly operation?: W['told'] | undefined;
  readonly problem?: W['problem'] | undefined;
};

export type WhyKept = { readonly reason: KeptReason; readonly detail: string | null };

/** How a server is asked what it holds under some IDs. */
export type LookUpLanguage<W extends Words> = {
  readonly path: string;
  readonly protocol: number;
  textOf(ids: readonly string[]): string;
  /** `undefined` where it is no answer to that. */
  read(json: unknown): ReadonlyMap<string, W['told'] | null> | undefined;
};

/** How one language is sent, and which of a server's words count in it. */
export type WireLanguage<W extends Words = Words> = {
  readonly path: string;
  readProblem(raw: unknown): Reading<W['problem']>;
  /** `undefined` where it is no result. */
  readResult(raw: unknown): CommandVerdict<W> | undefined;
  /** A problem with the whole request says nothing of any one command: why they are kept. */
  ofRequest(problem: W['problem']): WhyKept;
  /** `null`: the problem binds its command, so that it is a verdict. Else why the command is kept all the same. */
  ofCommand(problem: W['problem']): WhyKept | null;
  /** `null` where the server has none: what may have arrived is then sent again at once, which is as safe. */
  readonly lookUp: LookUpLanguage<W> | null;
};
