/** A user of the server's access control list. */
export interface AclUser {
  readonly password: string;
  /** Redis' own rules, for example `['~bull:*', '+@all', '-flushall']`; all is allowed by default. */
  readonly rules?: readonly string[];
}

/** The server arguments that create these users. */
export function userArgs(users: Readonly<Record<string, AclUser>> = {}): string[] {
  return Object.entries(users).flatMap(([name, user]) => [
    ...['--user', name, 'on', `>${user.password}`],
    ...(user.rules ?? ['~*', '&*', '+@all']),
  ]);
}
