import { type Command } from 'commander';

/** A command of Istio's that this version knows by name only. */
export class NotBuiltError extends Error {
  override readonly name = 'NotBuiltError';
}

/**
 * Adds commands that are known by name but not built yet, so that calling one says so rather than "unknown command".
 *
 * @param paths one command each, words separated by spaces, aliases of a word by `|`: `proxy-config|pc cluster|clusters`
 */
export function addNotBuilt(program: Command, paths: readonly string[]): void {
  for (const path of paths) {
    const words = path.split(' ');
    words.reduce((parent, word, depth) => childOf(parent, word, depth === words.length - 1), program);
  }
}

function childOf(parent: Command, word: string, isLeaf: boolean): Command {
  const [name = word, ...aliases] = word.split('|');
  const found = parent.commands.find((command) => command.name() === name);
  const child = found ?? parent.command(name).aliases(aliases).description('(not built yet)');
  if (isLeaf) {
    child.allowUnknownOption().allowExcessArguments().helpOption(false);
    child.action(() => {
      throw new NotBuiltError(`'${fullName(child)}' is not built yet in this version`);
    });
  }
  return child;
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
