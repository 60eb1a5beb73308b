import { usePoll } from './poll.js';
import { WorkersTable } from './workers-table.js';

/** Who works on any queue that the viewer may read. */
export function WorkersPage() {
  const { shown } = usePoll('workers', () => ({ workers: {} }));
  return (
    <main>
      <div class="head">
        <h1>Workers</h1>
      </div>
      <WorkersTable shown={shown.workers} />
    </main>
  );
}
