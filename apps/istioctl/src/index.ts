export type { Io } from './io.ts';
export { runIstioctl } from './istioctl.ts';
