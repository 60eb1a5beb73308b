/** How a list is read page by page. */
export interface PageOptions {
  /** Entries fetched at a time, at most 1,000; 100 by default. */
  readonly pageSize?: number;
  /** Where an earlier page ended. */
  readonly pageToken?: string;
}

/** One page of a list. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  /** For `pageToken`; undefined after the last page. */
  readonly nextPageToken: string | undefined;
}

/** A list: all of it to walk over, or one page of it. Nothing is asked for before it is walked. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The first page, or the one that `pageToken` names. */
  page(): Promise<PageOf<Item>>;
  /** All entries at once. */
  all(): Promise<Item[]>;
}

/**
 * A list from what reads one of its pages.
 *
 * @param first the token of the first page; empty: the beginning
 */
export function pagesOf<Item>(
  read: (pageToken: string) => Promise<PageOf<Item>>,
  first = '',
): Pages<Item> {
  async function* walk(): AsyncGenerator<Item, void, undefined> {
    for (let token: string | undefined = first; token !== undefined; ) {
      const { items, nextPageToken }: PageOf<Item> = await read(token);
      yield* items;
      token = nextPageToken;
    }
  }
  return {
    [Symbol.asyncIterator]: walk,
    page: () => read(first),
    async all() {
      const items: Item[] = [];
      for await (const item of walk()) items.push(item);
      return items;
    },
  };
}
