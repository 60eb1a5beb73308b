/** What stands for a secret wherever it would be shown. */
export const MASK = '***';

/** A URL fit to be shown: without its password. All between the scheme and the last `@` counts as credentials. */
export function maskUrl(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)([^:@]*)(:.*)?@/is, (_all, scheme, user, password) =>
    password === undefined ? `${scheme}${user}@` : `${scheme}${user}:${MASK}@`,
  );
}
