export interface NativeLauncherOptions {
  /** The processor, as Node names it. */
  readonly cpu: string;
  /** What is started: the program by its path from the launcher's folder, which becomes the working folder; then its arguments. */
  readonly command: readonly [program: string, ...args: readonly string[]];
  /** What is written to stderr if the program can't be started; the exit code is then 127. */
  readonly failure: string;
}

/**
 * An ELF executable of less than a kilobyte that starts another program beside it, and needs nothing but a Linux kernel: no
 * loader, no C library, no shell. It passes on the environment, and none of its arguments.
 *
 * @throws Error if there is none for the processor
 */
export function nativeLauncher({ cpu, command, failure }: NativeLauncherOptions): Buffer {
  const machine = Object.hasOwn(machines, cpu) ? machines[cpu as keyof typeof machines] : undefined;
  if (machine === undefined) throw new Error(`there is no launcher for the processor ${cpu}`);
  const { id, code } = machine;
  const text = Buffer.from(code.map(([bytes]) => bytes.replaceAll(' ', '')).join(''), 'hex');
  if (cpu === 'arm64') text.swap32();

  const literals = headersSize + roundUp(text.length, 8);
  const list = literals + 4 * 8;
  const strings = [selfLink, ...command].map((string) => Buffer.from(`${string}\0`));
  const starts: number[] = [];
  let end = list + (command.length + 1) * 8;
  for (const string of strings) {
    starts.push(end);
    end += string.length;
  }
  const message = Buffer.from(failure);
  const [self = 0, ...words] = starts;

  const file = Buffer.alloc(end + message.length);
  writeHeaders(file, id);
  text.copy(file, headersSize);
  writeWords(file, literals, [base + self, base + list, base + end, message.length]);
  writeWords(file, list, [...words.map((start) => base + start), 0]);
  Buffer.concat([...strings, message]).copy(file, self);
  return file;
}

/** Where the file is in memory. */
const base = 0x40_0000;
const headersSize = 64 + 56;
const selfLink = '/proc/self/exe';

/** The header of the file, and that of its only segment, which is all of the file. */
function writeHeaders(file: Buffer, machine: number): void {
  const [executable, version, loaded, readable, runnable] = [2, 1, 1, 4, 1];
  file.set([0x7f, ...Buffer.from('ELF'), 2, 1, version]);
  file.writeUInt16LE(executable, 16);
  file.writeUInt16LE(machine, 18);
  file.writeUInt32LE(version, 20);
  writeWords(file, 24, [base + headersSize, 64]);
  for (const [index, size] of [64, 56, 1].entries()) file.writeUInt16LE(size, 52 + 2 * index);
  file.writeUInt32LE(loaded, 64);
  file.writeUInt32LE(readable | runnable, 68);
  writeWords(file, 72, [0, base, base, file.length, file.length, 0x1_0000]);
}

function writeWords(file: Buffer, at: number, words: readonly number[]): void {
  for (const [index, word] of words.entries()) file.writeBigUInt64LE(BigInt(word), at + 8 * index);
}

function roundUp(size: number, unit: number): number {
  return Math.ceil(size / unit) * unit;
}

/**
 * The code, an instruction a line. It is followed by four literals: the addresses of `/proc/self/exe`, of the list of
 * arguments and of the failure's message, and the length of that. System calls are told by their names.
 */
const machines = {
  x64: {
    id: 62,
    code: [
      ['48 8b 1c 24', 'mov rbx, [rsp]: the number of arguments'],
      ['48 8d 5c dc 10', 'lea rbx, [rsp+rbx*8+16]: the environment is behind them'],
      ['48 81 ec 00 10 00 00', 'sub rsp, 4096'],
      ['b8 59 00 00 00', 'mov eax, readlink'],
      ['48 8b 3d 64 00 00 00', 'mov rdi, [link]'],
      ['48 89 e6', 'mov rsi, rsp'],
      ['ba ff 0f 00 00', 'mov edx, 4095'],
      ['0f 05', 'syscall'],
      ['48 85 c0', 'test rax, rax'],
      ['7e 2c', 'jle fail'],
      ['48 ff c8', 'scan: dec rax'],
      ['80 3c 04 2f', "cmp byte [rsp+rax], '/'"],
      ['75 f7', 'jne scan'],
      ['c6 44 04 01 00', 'mov byte [rsp+rax+1], 0: the folder ends here'],
      ['b8 50 00 00 00', 'mov eax, chdir'],
      ['48 89 e7', 'mov rdi, rsp'],
      ['0f 05', 'syscall'],
      ['b8 3b 00 00 00', 'mov eax, execve'],
      ['48 8b 35 39 00 00 00', 'mov rsi, [list]'],
      ['48 8b 3e', 'mov rdi, [rsi]'],
      ['48 89 da', 'mov rdx, rbx'],
      ['0f 05', 'syscall'],
      ['b8 01 00 00 00', 'fail: mov eax, write'],
      ['bf 02 00 00 00', 'mov edi, 2'],
      ['48 8b 35 28 00 00 00', 'mov rsi, [message]'],
      ['48 8b 15 29 00 00 00', 'mov rdx, [length]'],
      ['0f 05', 'syscall'],
      ['b8 3c 00 00 00', 'mov eax, exit'],
      ['bf 7f 00 00 00', 'mov edi, 127'],
      ['0f 05', 'syscall'],
    ],
  },
  // As words: their bytes are in the opposite order in memory.
  arm64: {
    id: 183,
    code: [
      ['f94003f3', 'ldr x19, [sp]: the number of arguments'],
      ['8b336ff3', 'add x19, sp, x19, lsl #3'],
      ['91004273', 'add x19, x19, #16: the environment is behind them'],
      ['d14007ff', 'sub sp, sp, #4096'],
      ['d28009c8', 'mov x8, readlinkat'],
      ['92800c60', 'mov x0, #-100: relative to the working folder'],
      ['58000381', 'ldr x1, link'],
      ['910003e2', 'mov x2, sp'],
      ['d281ffe3', 'mov x3, #4095'],
      ['d4000001', 'svc #0'],
      ['f100001f', 'cmp x0, #0'],
      ['540001ed', 'b.le fail'],
      ['d1000400', 'scan: sub x0, x0, #1'],
      ['38606be1', 'ldrb w1, [sp, x0]'],
      ['7100bc3f', "cmp w1, '/'"],
      ['54ffffa1', 'b.ne scan'],
      ['91000400', 'add x0, x0, #1'],
      ['38206bff', 'strb wzr, [sp, x0]: the folder ends here'],
      ['d2800628', 'mov x8, chdir'],
      ['910003e0', 'mov x0, sp'],
      ['d4000001', 'svc #0'],
      ['d2801ba8', 'mov x8, execve'],
      ['580001c1', 'ldr x1, list'],
      ['f9400020', 'ldr x0, [x1]'],
      ['aa1303e2', 'mov x2, x19'],
      ['d4000001', 'svc #0'],
      ['d2800808', 'fail: mov x8, write'],
      ['d2800040', 'mov x0, #2'],
      ['58000141', 'ldr x1, message'],
      ['58000162', 'ldr x2, length'],
      ['d4000001', 'svc #0'],
      ['d2800ba8', 'mov x8, exit'],
      ['d2800fe0', 'mov x0, #127'],
      ['d4000001', 'svc #0'],
    ],
  },
} as const;
