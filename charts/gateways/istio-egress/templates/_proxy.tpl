{{- /* Copied from charts/common/gateways/templates/_proxy.tpl: change it there, then `npm run gen:charts`. */ -}}
{{- /* The proxy of a gateway that is not injected. */}}
{{- define "mesh.gateway.arguments" -}}
{{- $global := .Values.global -}}
- proxy
- router
- --domain
- $(POD_NAMESPACE).svc.{{ $global.proxy.clusterDomain }}
{{- with $global.proxy.logLevel }}
- --proxyLogLevel={{ . }}
{{- end }}
{{- with $global.proxy.componentLogLevel }}
- --proxyComponentLogLevel={{ . }}
{{- end }}
{{- with $global.logging.level }}
- --log_output_level={{ . }}
{{- end }}
{{- if $global.logAsJson }}
- --log_as_json
{{- end }}
{{- /* Helm 3.18.0 has numbers of values.yaml as text, of which "0" is not empty. */}}
{{- with int $global.sts.servicePort }}
- --stsPort={{ . }}
{{- end }}
{{- end }}

{{- define "mesh.gateway.environment" -}}
{{- $gateway := include "mesh.gateway.values" . | fromYaml }}
{{- $global := .Values.global }}
{{- $istiod := list "istiod" .Values.revision | compact | join "-" -}}
- name: PILOT_CERT_PROVIDER
  value: {{ $global.pilotCertProvider }}
- name: CA_ADDR
  value: {{ $global.caAddress | default (printf "%s.%s.svc:15012" $istiod $global.istioNamespace) }}
{{- include "mesh.fieldEnv" (list
  (list "NODE_NAME" "spec.nodeName" "v1")
  (list "POD_NAME" "metadata.name" "v1")
  (list "POD_NAMESPACE" "metadata.namespace" "v1")
  (list "INSTANCE_IP" "status.podIP" "v1")
  (list "HOST_IP" "status.hostIP" "v1")) }}
- name: ISTIO_CPU_LIMIT
  valueFrom:
    resourceFieldRef:
      resource: limits.cpu
      divisor: "1"
{{- include "mesh.fieldEnv" (list (list "SERVICE_ACCOUNT" "spec.serviceAccountName")) }}
- name: ISTIO_META_WORKLOAD_NAME
  value: {{ $gateway.name }}
- name: ISTIO_META_OWNER
  value: kubernetes://apis/apps/v1/namespaces/{{ .Release.Namespace }}/deployments/{{ $gateway.name }}
{{- with $global.meshID | default .Values.meshConfig.trustDomain }}
- name: ISTIO_META_MESH_ID
  value: {{ quote . }}
{{- end }}
{{- with .Values.meshConfig.trustDomain }}
- name: TRUST_DOMAIN
  value: {{ quote . }}
{{- end }}
{{- if not $gateway.runAsRoot }}
- name: ISTIO_META_UNPRIVILEGED_POD
  value: "true"
{{- end }}
{{- include "mesh.env" $gateway.env }}
{{- include "mesh.env" .Values.meshConfig.defaultConfig.proxyMetadata }}
{{- if and $global.network (not ($gateway.env).ISTIO_META_NETWORK) }}
- name: ISTIO_META_NETWORK
  value: {{ quote $global.network }}
{{- end }}
- name: ISTIO_META_CLUSTER_ID
  value: {{ $global.multiCluster.clusterName | default "Kubernetes" | quote }}
{{- include "mesh.fieldEnv" (list (list "ISTIO_META_NODE_NAME" "spec.nodeName")) }}
{{- end }}

{{- define "mesh.gateway.proxyMounts" -}}
- name: workload-socket
  mountPath: /var/run/secrets/workload-spiffe-uds
- name: credential-socket
  mountPath: /var/run/secrets/credential-uds
- name: workload-certs
  mountPath: /var/run/secrets/workload-spiffe-credentials
- name: istio-envoy
  mountPath: /etc/istio/proxy
- name: config-volume
  mountPath: /etc/istio/config
{{- if eq .Values.global.pilotCertProvider "istiod" }}
- name: istiod-ca-cert
  mountPath: /var/run/secrets/istio
{{- end }}
- name: istio-token
  mountPath: /var/run/secrets/tokens
  readOnly: true
{{- if .Values.global.mountMtlsCerts }}
- name: istio-certs
  mountPath: /etc/certs
  readOnly: true
{{- end }}
- name: istio-data
  mountPath: /var/lib/istio/data
- name: podinfo
  mountPath: /etc/istio/pod
{{- end }}

{{- define "mesh.gateway.proxyVolumes" -}}
{{- range list "workload-socket" "credential-socket" "workload-certs" -}}
- name: {{ . }}
  emptyDir: {}
{{ end }}
{{- $global := .Values.global }}
{{- if eq $global.pilotCertProvider "istiod" -}}
- name: istiod-ca-cert
  {{- include "mesh.rootsVolume" (dict "env" (.Values.pilot).env "name" $global.trustBundleName) | nindent 2 }}
{{ end -}}
- name: podinfo
  downwardAPI:
    items:
      {{- range list "labels" "annotations" }}
      - path: {{ . }}
        fieldRef:
          fieldPath: metadata.{{ . }}
      {{- end }}
- name: istio-envoy
  emptyDir: {}
- name: istio-data
  emptyDir: {}
- name: istio-token
  projected:
    sources:
      - serviceAccountToken:
          path: istio-token
          expirationSeconds: 43200
          audience: {{ $global.sds.token.aud }}
{{- if $global.mountMtlsCerts }}
- name: istio-certs
  secret:
    secretName: istio.istio-{{ include "mesh.gateway.kind" . }}gateway-service-account
    optional: true
{{- end }}
- name: config-volume
  configMap:
    name: {{ list "istio" .Values.revision | compact | join "-" }}
    optional: true
{{- end }}
