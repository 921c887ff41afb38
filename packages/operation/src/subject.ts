/**
 * Under whose name a device keeps commands: the person's ID in the organisation they joined first, and the ID with the
 * organisation's behind an `@` in any other. What was queued under one is refused under another.
 */
export const personOfSubject = (subject: string): string => subject.split('@')[0] ?? subject;

/** For whom a page asks, so that one which has not yet heard of a change is stopped instead of acting for another. */
export const subjectHeader = 'Holdfast-Subject';
