import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** Tells rows apart. */
  readonly keyOf: (row: Row) => string;
  readonly render: (row: Row) => ComponentChildren;
  readonly onOpen: (row: Row) => void;
  /** The row that is open, by its key. */
  readonly open: string;
  /** The last rows are near. */
  readonly onNearEnd: () => void;
  /** Whether the list stands at its top. */
  readonly onTop: (top: boolean) => void;
}

/** px; the same in the style sheet. */
const ROW = 52;
/** Rows beyond the edges, so that a quick scroll shows no gaps. */
const MARGIN = 8;
/** So many rows before the end more are asked for. */
const NEAR = 30;

/**
 * A list of any length of which only what is in sight is in the document. One stop for Tab; arrows, Page and Home and End
 * move the row that is chosen, Enter opens it.
 */
export function VirtualList<Row>(props: Props<Row>) {
  const { label, rows, keyOf, render, onOpen, open, onNearEnd, onTop } = props;
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ top: 0, height: 600 });
  const [chosen, setChosen] = useState(0);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = () => setAt({ top: element.scrollTop, height: element.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    measure();
    return () => watch.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(at.top / ROW) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((at.top + at.height) / ROW) + MARGIN);
  const near = last >= rows.length - NEAR;
  useEffect(() => {
    if (near) onNearEnd();
  }, [near, rows.length]);

  const choose = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setChosen(next);
    const element = box.current;
    if (!element) return;
    const top = next * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + ROW - element.clientHeight;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(at.height / ROW) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + page,
      PageUp: chosen - page,
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[chosen];
    const move = moves[event.key];
    if (move !== undefined) choose(move);
    else if (event.key === 'Enter' && row !== undefined) onOpen(row);
    else return;
    event.preventDefault();
  };
  const onClick = ({ target }: MouseEvent) => {
    const element = (target as Element).closest('[data-index]');
    const index = Number(element?.getAttribute('data-index') ?? -1);
    const row = rows[index];
    if (row === undefined) return;
    setChosen(index);
    onOpen(row);
  };
  const current = Math.min(chosen, rows.length - 1);
  return (
    <div
      ref={box}
      class="rows"
      role="listbox"
      aria-label={label}
      aria-activedescendant={rows.length > 0 ? `row-${current}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        setAt({ top: scrollTop, height: clientHeight });
        onTop(scrollTop < ROW);
      }}
    >
      <div class="all" style={{ height: `${rows.length * ROW}px` }}>
        {rows.slice(first, last).map((row, offset) => {
          const index = first + offset;
          const key = keyOf(row);
          return (
            <div
              key={key}
              id={`row-${index}`}
              role="option"
              aria-selected={key === open}
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              class={`row${index === current ? ' chosen' : ''}${key === open ? ' open' : ''}`}
              style={{ transform: `translateY(${index * ROW}px)` }}
              tabIndex={-1}
              data-index={index}
            >
              {render(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
