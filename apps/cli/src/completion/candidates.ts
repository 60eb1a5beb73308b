import type { Command, Option } from 'commander';

/** Something that may come next. */
export interface Candidate {
  readonly name: string;
  readonly description?: string;
}

/** What may come next on a command line, and whether it is the name of a queue. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly wantsQueue: boolean;
  /** The command that has been named so far, and the words behind it. */
  readonly command: Command;
  readonly words: readonly string[];
}

/**
 * What may come next.
 *
 * @param words what stands between the program's name and the word that is being completed
 * @param current that word, as far as it is typed
 */
export function completionFor(
  root: Command,
  words: readonly string[],
  current: string,
): Completion {
  const { command, rest } = named(root, words);
  const pending = optionOf(command, words.at(-1));
  if (pending && (pending.required || pending.optional)) {
    const candidates = (pending.argChoices ?? []).map((name) => ({ name }));
    return { candidates, wantsQueue: false, command, words: rest };
  }
  const flags = command.options
    .filter(({ hidden, long }) => !hidden && long)
    .map(({ long, description }) => ({ name: `${long}`, description }));
  const commands = command.commands
    .filter((each) => !isHidden(each))
    .map((each) => ({ name: each.name(), description: firstSentence(each.description()) }));
  const candidates = current.startsWith('-') ? flags : commands;
  return { candidates, wantsQueue: wantsQueue(command, rest, current), command, words: rest };
}

/** The command that the words lead to, and what stands behind its name. */
function named(root: Command, words: readonly string[]) {
  let command = root;
  let rest = words;
  for (;;) {
    const [first] = rest;
    const next = command.commands.find((each) => each.name() === first);
    if (!next) return { command, rest };
    command = next;
    rest = rest.slice(1);
  }
}

function wantsQueue(command: Command, words: readonly string[], current: string): boolean {
  if (current.startsWith('-')) return false;
  const own = defaultOf(command);
  const arguments_ = own.registeredArguments;
  const given = words.filter(
    (word, at) => !word.startsWith('-') && !takesValue(own, words[at - 1]),
  );
  const argument = arguments_[given.length] ?? arguments_.at(-1);
  if (!argument || (given.length >= arguments_.length && !argument.variadic)) return false;
  return argument.name() === 'queue' || argument.name() === 'queues';
}

/** `schedulers QUEUE` is `schedulers list QUEUE`. */
function defaultOf(command: Command): Command {
  return command.commands.find((each) => each.name() === 'list') ?? command;
}

function takesValue(command: Command, word: string | undefined): boolean {
  return optionOf(command, word)?.required === true;
}

function optionOf(command: Command, word: string | undefined): Option | undefined {
  return command.options.find(
    ({ long, short }) => word !== undefined && [long, short].includes(word),
  );
}

/** Commander keeps it to itself which commands its help leaves out. */
export function isHidden(command: Command): boolean {
  return (command as unknown as { readonly _hidden?: boolean })._hidden === true;
}

function firstSentence(text: string): string {
  return text.split(/[.:;](?:\s|$)/)[0] ?? '';
}
