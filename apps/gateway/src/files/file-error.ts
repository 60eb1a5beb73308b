/** Files of the configuration are wrong. The message has a line for each problem; none repeats a value. */
export class FileError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
