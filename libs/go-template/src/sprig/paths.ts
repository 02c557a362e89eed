import { codecs, fn, type FunctionTable, type GoFunction } from '../value/function.ts';

const { bool, string } = codecs;

const clean = (path: string): string => {
  if (path === '') return '.';
  const rooted = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!rooted) kept.push(part);
  }
  const joined = kept.join('/');
  return rooted ? `/${joined}` : joined || '.';
};

/** The last element, as Go's `path.Base` has it. */
export const basename = (path: string): string => {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
};

const dir = (path: string): string => clean(path.slice(0, path.lastIndexOf('/') + 1));

const extension = (path: string): string => /\.[^./]*$/.exec(path)?.[0] ?? '';

const onPath = (change: (path: string) => string): GoFunction => fn([string], string, change);

const isAbsolute = fn([string], bool, (path) => path.startsWith('/'));

/** `osBase` and its like are those of a system with slashes. */
export const pathFunctions: FunctionTable = {
  base: onPath(basename),
  dir: onPath(dir),
  clean: onPath(clean),
  ext: onPath(extension),
  isAbs: isAbsolute,
  osBase: onPath(basename),
  osDir: onPath(dir),
  osClean: onPath(clean),
  osExt: onPath(extension),
  osIsAbs: isAbsolute,
};
