import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/** A transaction's 64-bit ID, as decimal text: it outgrows a JavaScript number. */
export const xid8 = customType<{ data: string; driverData: string }>({ dataType: () => 'xid8' });

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Whole milliseconds, so that a time read and written back is the same time. */
export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Minor units and counters fit a JavaScript number: at most 2^53. */
export const whole = (name: string) => bigint(name, { mode: 'number' });
