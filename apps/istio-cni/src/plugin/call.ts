import { CniError } from './cni-error.ts';

export const commands = ['ADD', 'DEL', 'CHECK', 'STATUS', 'GC', 'VERSION'] as const;
export type CommandName = (typeof commands)[number];

/** What the runtime says in the environment. What a command doesn't need is empty if not given. */
export interface Call {
  readonly command: CommandName;
  readonly containerId: string;
  /** Path of the network namespace. */
  readonly netns: string;
  readonly ifName: string;
  /** `CNI_ARGS`: of Kubernetes, the pod. */
  readonly args: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly name: string;
  readonly requiredBy: readonly CommandName[];
  readonly pattern: RegExp;
}

const variables = {
  containerId: {
    name: 'CNI_CONTAINERID',
    requiredBy: ['ADD', 'CHECK', 'DEL'],
    pattern: /^[a-zA-Z0-9][\w.-]*$/,
  },
  netns: { name: 'CNI_NETNS', requiredBy: ['ADD', 'CHECK'], pattern: /^\// },
  // The kernel's rules: 15 characters, no slash, colon or blank, not a name of a folder.
  ifName: { name: 'CNI_IFNAME', requiredBy: ['ADD', 'CHECK', 'DEL'], pattern: /^(?!\.\.?$)[^\s/:]{1,15}$/ },
} as const satisfies Record<string, Variable>;

/** @throws CniError */
export function readCall(environment: Environment): Call {
  const command = commands.find((each) => each === environment.CNI_COMMAND);
  if (command === undefined) {
    const given = environment.CNI_COMMAND;
    throw new CniError(
      'invalidEnvironment',
      given ? `CNI_COMMAND "${given}" is none of ${commands.join(', ')}` : 'the variable CNI_COMMAND is missing',
    );
  }
  const read = ({ name, requiredBy, pattern }: Variable): string => {
    const value = environment[name] ?? '';
    const isRequired = requiredBy.includes(command);
    if (value === '' && isRequired)
      throw new CniError('invalidEnvironment', `${command} needs the variable ${name}, which is missing`);
    if (isRequired && !pattern.test(value)) throw new CniError('invalidEnvironment', `${name} "${value}" is not valid`);
    return value;
  };
  return {
    command,
    containerId: read(variables.containerId),
    netns: read(variables.netns),
    ifName: read(variables.ifName),
    args: readArgs(environment.CNI_ARGS ?? ''),
  };
}

/** `A=1;B=2` */
function readArgs(text: string): Readonly<Record<string, string>> {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [, key, value] = /^\s*([^=]+)=(.*)$/s.exec(part) ?? [];
      if (key === undefined) throw new CniError('invalidEnvironment', `CNI_ARGS: "${part}" is not KEY=VALUE`);
      return [key, value!];
    }),
  );
}
