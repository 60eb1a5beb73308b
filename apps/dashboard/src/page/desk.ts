import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Refused } from './ask.js';
import type { Confirmation } from './confirm.js';

/** What every part of the page can reach. */
export interface Desk {
  /** A poll went wrong, or right again. */
  failed(error: Refused | undefined): void;
  /** Says something in a corner, for a while. */
  say(text: string, bad?: boolean): void;
  /** Asks before something is done. */
  confirm(confirmation: Confirmation): void;
  /** Makes a change and says how it went; `after` runs where it went well. */
  change(name: string, body: object, words: ChangeWords): Promise<void>;
}

/** What is said of a change. */
export interface ChangeWords {
  /** Once it is made. */
  readonly done: string | ((answer: Readonly<Record<string, unknown>>) => string);
  readonly after?: () => void;
}

/** The desk of this page. */
export const DeskContext = createContext<Desk | undefined>(undefined);

/** The desk of this page. */
export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('no desk');
  return desk;
}
