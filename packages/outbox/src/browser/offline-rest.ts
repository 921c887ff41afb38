import type { Sender } from '../send/sender.ts';

type Runs = Pick<Sender, 'runRound'>;

/**
 * While the browser says that there is no network, nothing is begun by itself: so what is taken back meanwhile was
 * never sent, and needs no word to anybody. A browser may say so wrongly: a person's own tap goes out whatever it
 * says, and the feed, which goes on trying, ends the rest as soon as Holdfast is heard.
 */
export class OfflineRest {
  #isHeard = false;
  readonly #saysOffline: () => boolean;

  constructor(saysOffline: () => boolean = () => globalThis.navigator?.onLine === false) {
    this.#saysOffline = saysOffline;
  }

  /** Holdfast was heard, whatever the browser says of its network. */
  heard(): void {
    this.#isHeard = true;
  }

  wentOffline(): void {
    this.#isHeard = false;
  }

  over(sender: Runs): Runs {
    return {
      runRound: async (options) => {
        const rests = this.#saysOffline() && !this.#isHeard && options.urgency !== 'person-asked';
        // Coming online, being heard and a person's tap all wake it: there is no time to wait for.
        return rests ? { kind: 'rested', sent: 0, nextTryInMs: null } : sender.runRound(options);
      },
    };
  }
}
