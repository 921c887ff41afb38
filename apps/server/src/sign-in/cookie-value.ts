/** The value that a request's `Cookie` header has under this name, as it stands there. */
export const cookieValue = (cookieHeader: string | null, name: string): string | undefined =>
  (cookieHeader ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
