/** What the name of a gateway's route configuration says: `http.PORT`, or `https.PORT.PORTNAME.GATEWAY.NAMESPACE`. */
interface GatewayRoutePlace {
  /** The port of the workload; 0 where the name says none. */
  readonly port: number;
  readonly portName: string;
  /** `namespace/name`. */
  readonly gateway: string;
}

export function gatewayRoutePlace(name: string): GatewayRoutePlace {
  const [kind, port = '', portName = '', gateway = '', namespace = '', ...rest] = name.split('.');
  if (kind === 'http') return { port: numberOf(port), portName: '', gateway: '' };
  if (kind !== 'https' || namespace === '' || rest.length > 0) return { port: 0, portName: '', gateway: '' };
  return { port: numberOf(port), portName, gateway: `${namespace}/${gateway}` };
}

const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : 0);
