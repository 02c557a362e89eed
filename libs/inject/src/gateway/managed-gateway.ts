import type { ObjectMeta } from '../pod.ts';

type Strings = Readonly<Record<string, string>>;

/** The parts of a Gateway of the Gateway API that a deployment for it is made of. */
export interface ManagedGateway {
  readonly metadata: ObjectMeta & { readonly name: string; readonly namespace: string; readonly uid?: string };
  readonly spec: {
    readonly gatewayClassName: string;
    readonly listeners?: readonly GatewayListener[];
    readonly addresses?: readonly { readonly type?: string; readonly value: string }[];
    readonly infrastructure?: { readonly labels?: Strings; readonly annotations?: Strings };
    readonly [field: string]: unknown;
  };
}

export interface GatewayListener {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}
