/**
 * Who writes to a job that stays where it is: its holder, who shows the lease's token, or `anyone`, an administrator who
 * holds nothing and writes to a job in whatever state it is.
 */
export type JobWriter =
  | { readonly token: string; readonly anyone?: never }
  | { readonly anyone: true; readonly token?: never };

/** A writer as the scripts take it. */
export function writerArgs(writer: JobWriter): {
  readonly token: string;
  readonly anyone: boolean;
} {
  return { token: writer.token ?? '', anyone: writer.anyone ?? false };
}
