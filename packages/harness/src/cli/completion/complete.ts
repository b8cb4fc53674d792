import type { Argument, Command, Option } from "commander";

export interface Candidate {
  value: string;
  description: string;
}

export interface Completion {
  candidates: Candidate[];
  /** Names of files fit as well. */
  files: boolean;
}

/** What may stand where the word of an argument is asked for; undefined = names of files. */
export type ValuesOf = (argument: Argument) => readonly string[] | undefined;

/**
 * What the last of the words can become. The words are those behind the program's name, the last as far as it is typed. All of
 * it comes from the tree of verbs itself, so that a new verb or option needs nothing here.
 */
export const complete = (program: Command, words: readonly string[], valuesOf: ValuesOf): Completion => {
  const typed = words.at(-1) ?? "";
  const place = placeOf(program, words.slice(0, -1));
  return {
    ...place,
    candidates: candidatesAt(place, typed, valuesOf),
    files:
      place.asks !== undefined ? place.asks.argChoices === undefined : wantsFiles(place, typed, valuesOf),
  };
};

interface Place {
  /** From the program down to the verb. */
  chain: readonly Command[];
  /** How many arguments of the verb are there already. */
  given: number;
  /** The option whose value is asked for. */
  asks?: Option;
}

const placeOf = (program: Command, words: readonly string[]): Place => {
  const chain: Command[] = [program];
  let given = 0;
  let asks: Option | undefined;
  for (const word of words) {
    const verb = chain.at(-1) ?? program;
    if (asks !== undefined) asks = undefined;
    else if (word.startsWith("-") && word !== "-") asks = valueOption(chain, word);
    else {
      const next = given === 0 ? verb.commands.find((each) => named(each, word)) : undefined;
      if (next === undefined) given += 1;
      else chain.push(next);
    }
  }
  return { chain, given, ...(asks !== undefined && { asks }) };
};

const named = (command: Command, word: string): boolean =>
  command.name() === word || command.aliases().includes(word);

/** The option of that name, when the next word is its value. */
const valueOption = (chain: readonly Command[], word: string): Option | undefined =>
  chain
    .flatMap(({ options }) => options)
    .find(
      (option) => (option.long === word || option.short === word) && (option.required || option.optional),
    );

const candidatesAt = ({ chain, given, asks }: Place, typed: string, valuesOf: ValuesOf): Candidate[] => {
  const all = asks === undefined ? wordsAt(chain, given, typed, valuesOf) : choices(asks.argChoices ?? []);
  return all.filter(({ value }) => value.startsWith(typed));
};

const wordsAt = (
  chain: readonly Command[],
  given: number,
  typed: string,
  valuesOf: ValuesOf,
): Candidate[] => {
  if (typed.startsWith("-")) return chain.flatMap(optionsOf);
  const verb = chain.at(-1);
  if (verb === undefined) return [];
  const argument = argumentAt(verb, given);
  return [
    ...(given === 0 ? verbsOf(verb) : []),
    ...(argument === undefined ? [] : choices(argument.argChoices ?? valuesOf(argument) ?? [])),
  ];
};

const choices = (values: readonly string[]): Candidate[] =>
  values.map((value) => ({ value, description: "" }));

const optionsOf = ({ options }: Command): Candidate[] =>
  options.flatMap(({ long, hidden, description }) =>
    long === undefined || long === null || hidden ? [] : [{ value: long, description }],
  );

/** Commander shows hidden verbs to nobody but itself; ours begin with `__`. */
const verbsOf = (verb: Command): Candidate[] =>
  verb.commands
    .filter((each) => !each.name().startsWith("__"))
    .map((each) => ({ value: each.name(), description: each.description() }));

const argumentAt = ({ registeredArguments }: Command, given: number): Argument | undefined => {
  const last = registeredArguments.at(-1);
  return registeredArguments[given] ?? (last?.variadic === true ? last : undefined);
};

const wantsFiles = ({ chain, given }: Place, typed: string, valuesOf: ValuesOf): boolean => {
  const verb = chain.at(-1);
  const argument = verb === undefined ? undefined : argumentAt(verb, given);
  if (argument === undefined || typed.startsWith("-")) return false;
  return argument.argChoices === undefined && valuesOf(argument) === undefined;
};
