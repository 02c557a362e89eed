{{- define "ztunnel.name" -}}
{{ .Values.resourceName | default "ztunnel" }}
{{- end }}

{{- define "ztunnel.labels" -}}
app.kubernetes.io/name: ztunnel
{{ include "mesh.labels" . }}
{{- end }}

{{- /* Labels with those of the user. */}}
{{- define "ztunnel.allLabels" -}}
{{ include "ztunnel.labels" . }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ztunnel.annotations" -}}
{{- $annotations := deepCopy (.Values.annotations | default dict) }}
{{- with .Values.revision }}{{ $_ := set $annotations "istio.io/rev" . }}{{ end }}
{{- toYaml $annotations }}
{{- end }}

{{- define "ztunnel.environment" -}}
{{- $istiod := printf "%s.%s.svc:15012" (list "istiod" .Values.revision | compact | join "-") .Values.istioNamespace -}}
- name: CA_ADDRESS
  value: {{ .Values.caAddress | default $istiod }}
- name: XDS_ADDRESS
  value: {{ .Values.xdsAddress | default $istiod }}
{{- if .Values.logAsJson }}
- name: LOG_FORMAT
  value: json
{{- end }}
{{- with .Values.network }}
- name: NETWORK
  value: {{ quote . }}
{{- end }}
- name: RUST_LOG
  value: {{ quote .Values.logLevel }}
- name: RUST_BACKTRACE
  value: "1"
- name: ISTIO_META_CLUSTER_ID
  value: {{ .Values.multiCluster.clusterName | default "Kubernetes" | quote }}
- name: INPOD_ENABLED
  value: "true"
- name: TERMINATION_GRACE_PERIOD_SECONDS
  value: {{ quote .Values.terminationGracePeriodSeconds }}
{{- include "mesh.fieldEnv" (list
  (list "POD_NAME" "metadata.name")
  (list "POD_NAMESPACE" "metadata.namespace")
  (list "NODE_NAME" "spec.nodeName")
  (list "INSTANCE_IP" "status.podIP")
  (list "SERVICE_ACCOUNT" "spec.serviceAccountName")) }}
{{- include "mesh.env" .Values.meshConfig.defaultConfig.proxyMetadata }}
{{- /* As many threads as cores that it may use; the limit is that of the node where it has none. */}}
{{- $resources := .Values.resources | default dict }}
{{- $cpus := list (list "ZTUNNEL_CPU_LIMIT" "limits.cpu") }}
{{- if ($resources.limits).cpu }}{{ $cpus = append $cpus (list "ZTUNNEL_RESOURCE_CPU_LIMIT" "limits.cpu") }}{{ end }}
{{- if ($resources.requests).cpu }}{{ $cpus = append $cpus (list "ZTUNNEL_RESOURCE_CPU_REQUEST" "requests.cpu") }}{{ end }}
{{- range $cpus }}
- name: {{ index . 0 }}
  valueFrom:
    resourceFieldRef:
      resource: {{ index . 1 }}
      divisor: "1"
{{- end }}
{{- include "mesh.env" .Values.env }}
{{- if .Values.peerCaCrl.enabled }}
- name: CRL_PATH
  value: /var/run/secrets/istio/crl/ca-crl.pem
{{- end }}
{{- end }}
