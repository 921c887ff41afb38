import type { BrowserContext, ConsoleMessage, Worker } from '@playwright/test';

/**
 * What browsers complain of while people use the app: breaches of the content policy, in pages and in service workers,
 * errors on the console, and errors that nobody caught. Networks are taken away on purpose here, so what could not be
 * loaded is no complaint.
 */
export type Complaints = {
  /** From now on, in all pages and workers of this context. */
  readonly listenTo: (context: BrowserContext) => void;
  /** What was heard since this was asked last. */
  readonly take: () => readonly string[];
};

const breach = 'content policy:';
const isLoss = (text: string): boolean => /^Failed to load resource|net::ERR_/.test(text);

/** Runs in pages and in workers, so it stands on its own. */
const tellBreaches = (mark: string): void => {
  globalThis.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI, sourceFile, lineNumber, sample } = event;
    console.error(`${mark} ${effectiveDirective} ${blockedURI} at ${sourceFile}:${lineNumber} ${sample}`);
  });
};

export const collectComplaints = (): Complaints => {
  let heard: string[] = [];
  const hear = (where: string) => (message: ConsoleMessage) => {
    if (message.type() === 'error' && !isLoss(message.text())) heard.push(`${where}: ${message.text()}`);
  };
  const hearWorker = (worker: Worker): void => {
    worker.on('console', hear('service worker'));
    // A worker that has ended meanwhile has nothing more to say.
    worker.evaluate(tellBreaches, breach).catch(() => undefined);
  };
  return {
    listenTo: (context) => {
      context.on('console', hear('page'));
      context.on('weberror', (error) => heard.push(`not caught: ${error.error().message}`));
      context.on('serviceworker', hearWorker);
      for (const worker of context.serviceWorkers()) hearWorker(worker);
      // Pages that are gone before it is in place are gone.
      context.addInitScript(tellBreaches, breach).catch(() => undefined);
    },
    take: () => {
      const taken = heard;
      heard = [];
      return taken;
    },
  };
};
