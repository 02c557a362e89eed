{{- /* Labels of the pods: those of the deployment but for the release. */}}
{{- define "istiod.podLabels" -}}
istio.io/rev: {{ .Values.revision | default "default" | quote }}
install.operator.istio.io/owning-resource: {{ .Values.ownerName | default "unknown" }}
operator.istio.io/component: Pilot
app.kubernetes.io/name: istiod
{{ include "mesh.labels" . }}
{{- end }}

{{- /* A map whose values are text, whatever the user gave. */}}
{{- define "istiod.quotedMap" -}}
{{- range $key, $value := . }}
{{ $key }}: {{ quote $value }}
{{- end }}
{{- end }}

{{- define "istiod.arguments" -}}
{{- $global := .Values.global -}}
- discovery
- --monitoringAddr=:15014
{{- with $global.logging.level }}
- --log_output_level={{ . }}
{{- end }}
{{- if $global.logAsJson }}
- --log_as_json
{{- end }}
- --domain
- {{ $global.proxy.clusterDomain }}
{{- with .Values.taint.namespace }}
- --cniNamespace={{ . }}
{{- end }}
- --keepaliveMaxServerConnectionAge
- {{ quote .Values.keepaliveMaxServerConnectionAge }}
{{- with .Values.extraContainerArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Variables that `env` sets too are left to it where one of them would be there twice. */}}
{{- define "istiod.environment" -}}
{{- $global := .Values.global }}
{{- $env := .Values.env | default dict }}
- name: REVISION
  value: {{ .Values.revision | default "default" | quote }}
- name: PILOT_CERT_PROVIDER
  value: {{ $global.pilotCertProvider }}
{{- include "mesh.fieldEnv" (list
  (list "POD_NAME" "metadata.name" "v1")
  (list "POD_NAMESPACE" "metadata.namespace" "v1")
  (list "SERVICE_ACCOUNT" "spec.serviceAccountName" "v1")) }}
- name: KUBECONFIG
  value: /var/run/secrets/remote/config
{{- if not $env.CA_TRUSTED_NODE_ACCOUNTS }}
- name: CA_TRUSTED_NODE_ACCOUNTS
  value: {{ .Values.trustedZtunnelNamespace | default .Release.Namespace }}/{{ .Values.trustedZtunnelName | default "ztunnel" }}
{{- end }}
{{- include "mesh.env" $env }}
{{- if eq (toString $env.COMPLIANCE_POLICY) "fips-140-3" }}
- name: GODEBUG
  value: fips140=only
{{- end }}
{{- with .Values.envVarFrom }}
{{ toYaml . }}
{{- end }}
{{- with .Values.traceSampling }}
- name: PILOT_TRACE_SAMPLING
  value: {{ quote . }}
{{- end }}
{{- if .Values.taint.enabled }}
- name: PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS
  value: "true"
- name: PILOT_NODE_UNTAINT_CONTROLLERS_TAINT_NAME
  value: {{ quote .Values.taint.name }}
{{- end }}
{{- if and $global.externalIstiod (not $env.EXTERNAL_ISTIOD) }}
- name: EXTERNAL_ISTIOD
  value: {{ quote $global.externalIstiod }}
{{- end }}
{{- with $global.trustBundleName }}
- name: PILOT_CA_CERT_CONFIGMAP
  value: {{ quote . }}
{{- end }}
{{- with .Values.crlConfigMapName }}
- name: PILOT_CRL_CONFIGMAP
  value: {{ quote . }}
{{- end }}
- name: PILOT_ENABLE_ANALYSIS
  value: {{ quote $global.istiod.enableAnalysis }}
- name: CLUSTER_ID
  value: {{ $global.multiCluster.clusterName | default "Kubernetes" | quote }}
- name: PLATFORM
  value: {{ coalesce $global.platform .Values.platform | default "" | quote }}
{{- end }}
