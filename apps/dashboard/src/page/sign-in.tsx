import { useEffect, useRef } from 'preact/hooks';
import type { Refused } from './ask.js';
import { Logo } from './logo.js';

/** Asks for a bearer token: that of a principal of the access file, or a JWT. */
export function SignIn({
  problem,
  onToken,
}: {
  problem: Refused;
  onToken: (token: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const missing = problem.reason === 'CREDENTIALS_MISSING';
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const token = field.current?.value.trim() ?? '';
          if (token !== '') onToken(token);
        }}
      >
        <Logo />
        <h1>Sign in</h1>
        <p class="muted">
          With the bearer token of a principal of this gateway. It is kept in this tab alone.
        </p>
        <label>
          Token
          <input ref={field} type="password" autocomplete="off" spellcheck={false} />
        </label>
        {!missing && (
          <p class="problem" role="alert">
            {problem.message} <small>{problem.reason}</small>
          </p>
        )}
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
