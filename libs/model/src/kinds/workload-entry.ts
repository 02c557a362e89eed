import { type Of, map, message } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';

/** One endpoint outside the platform, such as a virtual machine. */
export const WorkloadEntry = message({
  address: string,
  ports: map(uint32),
  labels: map(string),
  network: string,
  locality: string,
  weight: uint32,
  serviceAccount: string,
});
export type WorkloadEntry = Of<typeof WorkloadEntry>;
