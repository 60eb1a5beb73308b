import { useRef, useState } from 'preact/hooks';
import type { Search } from './use-jobs.js';

interface Props {
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
  readonly onId: (id: string) => void;
}

/** Search by id, by name and by time. */
export function SearchBar({ search, onSearch, onId }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [times, setTimes] = useState(false);
  const empty = search.name === '' && search.from === undefined && search.to === undefined;
  return (
    <form
      ref={form}
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const text = (name: string) => String(given.get(name) ?? '').trim();
        const id = text('id');
        if (id !== '') {
          onId(id);
          return;
        }
        const [from, to] = [Date.parse(text('from')), Date.parse(text('to'))];
        onSearch({
          name: text('name'),
          ...(Number.isNaN(from) ? {} : { from }),
          ...(Number.isNaN(to) ? {} : { to }),
        });
      }}
    >
      <input name="id" type="search" placeholder="Job id" aria-label="Job id" autocomplete="off" />
      <input
        name="name"
        type="search"
        placeholder="Name"
        aria-label="Job name"
        autocomplete="off"
      />
      {times ? (
        <>
          <label>
            from <input name="from" type="datetime-local" step="1" />
          </label>
          <label>
            to <input name="to" type="datetime-local" step="1" />
          </label>
        </>
      ) : (
        <button type="button" class="quiet" onClick={() => setTimes(true)}>
          Time…
        </button>
      )}
      <button type="submit">Search</button>
      {!empty && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            form.current?.reset();
            setTimes(false);
            onSearch({ name: '' });
          }}
        >
          Clear
        </button>
      )}
    </form>
  );
}
