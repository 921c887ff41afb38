import { canaryText, readCanary } from '../queue/list-canary.ts';
import type { ListCanary } from '../queue/list-canary.ts';

const longestLifeSeconds = 400 * 24 * 60 * 60;

/** Where the canary lives: a cookie, which a browser that clears storage for want of room leaves alone. */
export class CanaryCookie {
  readonly #name: string;

  constructor(name: string) {
    this.#name = `${name}-list`;
  }

  read(): ListCanary | null {
    try {
      const prefix = `${this.#name}=`;
      const found = document.cookie.split('; ').find((pair) => pair.startsWith(prefix));
      return found === undefined ? null : readCanary(found.slice(prefix.length));
    } catch {
      // No cookies here (a worker, a sandboxed page, a person's wish): nothing is remembered, and nothing alarms.
      return null;
    }
  }

  write(canary: ListCanary): void {
    try {
      const secure = location.protocol === 'https:' ? '; Secure' : '';
      document.cookie = `${this.#name}=${canaryText(canary)}; SameSite=Lax; Path=/; Max-Age=${longestLifeSeconds}${secure}`;
    } catch {
      // As above.
    }
  }
}
