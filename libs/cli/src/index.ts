export { parseBoolean } from './boolean-flags.ts';
export { hostPort, hostPortOption } from './host-port.ts';
export { addLogFlags } from './log-flags.ts';
export { addNotBuilt, NotBuiltError } from './not-built.ts';
export { createProgram, type ProgramOptions } from './program.ts';
export { runProgram } from './run.ts';
export { stopSignal } from './stop-signal.ts';
