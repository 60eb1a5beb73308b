import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What is asked before something is done. */
export interface Confirmation {
  readonly title: string;
  readonly text: ComponentChildren;
  /** On the button that does it. */
  readonly yes: string;
  /** Something is lost. */
  readonly danger?: boolean;
  /** Further fields; what stands in them is given to {@link onYes} by name. */
  readonly fields?: ComponentChildren;
  readonly onYes: (given: FormData) => void;
}

/** Asks, and keeps the keyboard inside until it is answered. Esc says no. */
export function ConfirmDialog({
  confirmation,
  onClose,
}: {
  confirmation: Confirmation;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { title, text, yes, danger, fields, onYes } = confirmation;
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="confirm-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onYes(new FormData(event.currentTarget));
          dialog.current?.close();
        }}
      >
        <h2 id="confirm-title">{title}</h2>
        <div class="muted">{text}</div>
        {fields}
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={danger ? 'danger' : 'primary'}>
            {yes}
          </button>
        </div>
      </form>
    </dialog>
  );
}
