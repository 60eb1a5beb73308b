import { InvalidArgumentError } from 'commander';

/** A whole number of at least `least`. */
export function wholeNumber(least = 0): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`It is a whole number of at least ${least}.`);
  };
}
