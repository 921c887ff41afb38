import { createMiddleware } from 'hono/factory';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The controls ask for no password, so a web page that a person happens to have open must not reach them:
 * neither by posting from another origin, nor under a name of its own that points at this machine.
 */
export const sameOriginOnly = createMiddleware(async (context, next) => {
  const { hostname, host } = new URL(context.req.url);
  const origin = context.req.header('origin');
  const foreign = origin !== undefined && !URL.canParse(origin);
  const other = origin !== undefined && !foreign && new URL(origin).host !== host;
  if (!loopbackNames.includes(hostname) || foreign || other) {
    return context.json({ error: 'The controls of the fake Stripe answer only to this machine.' }, 403);
  }
  return next();
});
