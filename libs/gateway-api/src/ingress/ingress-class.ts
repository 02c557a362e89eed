import type { KubernetesOf, MeshConfig } from '@kedge/model';

type Ingress = KubernetesOf<'Ingress'>;
type IngressClass = KubernetesOf<'IngressClass'>;

/** How Ingresses named their class before there were IngressClasses. It comes before the field. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const CONTROLLER = 'istio.io/ingress-controller';

/**
 * Whether an Ingress is for this mesh: by the annotation, by the controller of its class, and where it names no class that
 * exists, if the mesh takes those too.
 * https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class
 */
export function handlesIngress(
  { ingressControllerMode, ingressClass }: Pick<MeshConfig, 'ingressControllerMode' | 'ingressClass'>,
  { annotations }: Pick<Ingress, 'annotations'>,
  namedClass: Pick<IngressClass, 'spec'> | undefined,
): boolean {
  const takesUnnamed = ingressControllerMode === 'DEFAULT';
  const annotated = annotations[CLASS_ANNOTATION];
  if (annotated !== undefined)
    return (takesUnnamed || ingressControllerMode === 'STRICT') && annotated === ingressClass;
  return namedClass ? namedClass.spec.controller === CONTROLLER : takesUnnamed;
}
