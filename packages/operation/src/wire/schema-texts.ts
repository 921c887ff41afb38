import * as z from 'zod/mini';

// What is wrong with a field is said in words that are part of the contract, and on a device the same as at the server.
// The small kind of schemas brings no words of its own. One language: everything else about refusals is in English too.
z.config(z.locales.en());
