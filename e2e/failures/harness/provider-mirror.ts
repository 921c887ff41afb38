import type postgres from 'postgres';
import { until } from '../../harness/program.ts';
import type { ProviderHouse } from './provider-house.ts';

/** Puts off the listings of accounts that are not being listed right now. A trigger keeps it so. */
export const putOffListings = async (sql: postgres.Sql): Promise<void> => {
  await sql.unsafe(`
    create or replace function put_off_listing() returns trigger language plpgsql as
      $$ begin new.next_listing_at := now() + interval '1 day';
        new.listing_with_work_at := new.next_listing_at; return new; end $$;
    create or replace trigger put_off_listing before insert or update on mirror_positions
      for each row execute function put_off_listing();
    update mirror_positions set updated_at = now()`);
};

/**
 * Puts off the account's listings, which show within seconds what is at the provider. What a row says about answers,
 * look-ups and events is then shown by these alone. Questions about a payment go on.
 */
export const stillMirror = async ({ sql, wire }: ProviderHouse): Promise<void> => {
  await putOffListings(sql);
  // A listing that had begun is over once nothing of one was open for a while.
  let quiet = 0;
  await until('the last listing to end', async () => {
    quiet = wire.openLines().some((line) => line.includes('created')) ? 0 : quiet + 1;
    return quiet >= 5 ? true : undefined;
  });
};

export const letMirrorRead = async ({ sql }: { readonly sql: postgres.Sql }): Promise<void> => {
  await sql.unsafe(`
    drop trigger if exists put_off_listing on mirror_positions;
    update mirror_positions set next_listing_at = now()`);
};
