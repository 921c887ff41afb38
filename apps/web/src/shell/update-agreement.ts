/** How the open tabs agree to run a new version. Decisions only: the channel and the clock are `update.svelte.ts`'s. */

/** Why a tab cannot load another version now. */
export type Hindrance = 'unsaved-form' | 'sending' | 'offline';

export type TabStanding = {
  readonly hasUnsavedForm: boolean;
  /** A request is under way, in this tab, another one or the service worker. */
  readonly isSending: boolean;
  /** By what was answered last, not by what the browser says of its network. */
  readonly isOffline: boolean;
};

/** What a person can do something about is named first. */
export const hindranceOf = ({ hasUnsavedForm, isSending, isOffline }: TabStanding): Hindrance | null => {
  if (hasUnsavedForm) return 'unsaved-form';
  if (isSending) return 'sending';
  return isOffline ? 'offline' : null;
};

/** What tabs say to each other. `round` names one press of the button; `tab` names who answers. */
export type UpdateMessage = { readonly kind: 'ask'; readonly round: string } | UpdateAnswer;

export type UpdateAnswer = {
  readonly kind: 'answer';
  readonly round: string;
  readonly tab: string;
  readonly hindrance: Hindrance | null;
};

const hindrances: readonly unknown[] = ['unsaved-form', 'sending', 'offline', null];

/** What came over the channel may be from another version: what is not understood is nobody's answer. */
export const readUpdateMessage = (data: unknown): UpdateMessage | null => {
  if (typeof data !== 'object' || data === null) return null;
  const { kind, round, tab, hindrance } = data as Record<string, unknown>;
  if (typeof round !== 'string') return null;
  if (kind === 'ask') return { kind, round };
  if (kind !== 'answer' || typeof tab !== 'string' || !hindrances.includes(hindrance)) return null;
  return { kind, round, tab, hindrance: hindrance as Hindrance | null };
};

export type Asked = {
  readonly own: Hindrance | null;
  /** What other tabs answered. */
  readonly answers: readonly Pick<UpdateAnswer, 'hindrance'>[];
  /** The time for answers is over. A tab that is frozen says nothing, and must not hold up everybody for ever. */
  readonly isTimeUp: boolean;
};

export type Conclusion =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'agreed' }
  | { readonly kind: 'not-now'; readonly because: Hindrance; readonly elsewhere: boolean };

export const conclude = ({ own, answers, isTimeUp }: Asked): Conclusion => {
  if (own !== null) return { kind: 'not-now', because: own, elsewhere: false };
  const refused = answers.find(({ hindrance }) => hindrance !== null)?.hindrance ?? null;
  if (refused !== null) {
    return { kind: 'not-now', because: refused, elsewhere: true };
  }
  return isTimeUp ? { kind: 'agreed' } : { kind: 'waiting' };
};

/**
 * What a tab does whose service worker was replaced by a newer one. `stay`: it goes on with its own version, since
 * loading would lose what is typed or could find nothing; its person is offered to load later.
 */
export const afterTakeover = (standing: TabStanding): 'reload' | 'when-sent' | 'stay' => {
  if (standing.hasUnsavedForm || standing.isOffline) return 'stay';
  return standing.isSending ? 'when-sent' : 'reload';
};
