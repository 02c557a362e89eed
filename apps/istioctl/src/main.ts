import { processIo } from './io.ts';
import { runIstioctl } from './istioctl.ts';

process.exitCode = await runIstioctl(process.argv.slice(2), processIo());
