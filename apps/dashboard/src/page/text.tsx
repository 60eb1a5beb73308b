import { useDesk } from './desk.js';

/** Somebody else's text, as text, with a way to copy it. */
export function Text({ text, cut = false }: { text: string; cut?: boolean }) {
  const desk = useDesk();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      desk.say('Copied');
    } catch {
      desk.say('This browser does not let the page copy', true);
    }
  };
  return (
    <div class="text">
      <pre>{text}</pre>
      <button type="button" class="quiet" onClick={() => void copy()}>
        Copy
      </button>
      {cut && <p class="muted">There is more of it than is shown.</p>}
    </div>
  );
}
