/** The mark and the name. */
export function Logo() {
  return (
    <span class="logo">
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M9 12v8M14.5 9v14M20 12.5v7M25 14.5v3" />
      </svg>
      EchoMQ
    </span>
  );
}
