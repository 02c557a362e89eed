import { usage as pushUsage } from './push/options.ts';

const USAGE = `usage: npm run bench [-- NAME... [OPTION...]]

Runs the named benches, or all, and prints their figures; none passes or fails.
`;

interface Bench {
  readonly about: string;
  readonly run: (options: readonly string[]) => void | Promise<void>;
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  protobuf: async () => (await import('./protobuf.ts')).protobuf,
  generate: async () => (await import('./generate.ts')).generate,
  grpc: async () => (await import('./grpc.ts')).grpcServers,
  inject: async () => (await import('./inject.ts')).inject,
  sign: async () => (await import('./sign.ts')).sign,
  push: async () => (await import('./push/push.ts')).push,
};

async function printHelp(): Promise<void> {
  console.log(USAGE);
  for (const [name, load] of Object.entries(BENCHES)) console.log(`  ${name.padEnd(9)} ${(await load()).about}`);
  console.log(`\n${pushUsage}`);
}

const args = process.argv.slice(2);
const firstOption = args.findIndex((argument) => argument.startsWith('-'));
const names = firstOption < 0 ? args : args.slice(0, firstOption);
const options = firstOption < 0 ? [] : args.slice(firstOption);
if (options.some((option) => option === '-h' || option === '--help')) {
  await printHelp();
  process.exit();
}
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`no bench is called ${unknown.join(', ')}; there are: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
for (const [name, load] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const bench = await load();
  console.log(`${name}: ${bench.about}`);
  await bench.run(options);
}
