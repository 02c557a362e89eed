{{- define "istio-ca.name" -}}
{{ list "istio-ca" .Values.revision | compact | join "-" }}
{{- end }}

{{- define "istio-ca.selector" -}}
app: istio-ca
istio.io/rev: {{ .Values.revision | default "default" | quote }}
{{- end }}

{{- define "istio-ca.labels" -}}
app: istio-ca
release: {{ quote .Release.Name }}
app.kubernetes.io/name: istio-ca
{{ include "mesh.ownerLabels" (dict "root" . "component" "Ca") }}
{{ include "mesh.labels" . }}
{{- end }}

{{- define "istio-ca.metadata" -}}
name: {{ include "istio-ca.name" . }}
namespace: {{ quote .Release.Namespace }}
labels:
  {{- include "istio-ca.labels" . | nindent 2 }}
{{- end }}

{{- define "istio-ca.arguments" -}}
{{- $service := printf "%s.%s" (include "istio-ca.name" .) .Release.Namespace -}}
- server
- --grpc-host-identities
- {{ concat (list (include "istio-ca.name" .) $service (printf "%s.svc" $service)) .Values.hostIdentities | join "," }}
- --trust-domain
- {{ .Values.trustDomain }}
{{- with .Values.trustDomainAliases }}
- --trust-domain-aliases
- {{ join "," . }}
{{- end }}
- --signing-cert-dir
- /etc/cacerts
- --self-signed-ca-key
- {{ .Values.selfSigned.key }}
{{- range $flag, $value := dict
  "self-signed-ca-org" .Values.selfSigned.organization
  "self-signed-ca-cert-ttl" .Values.selfSigned.certTTL
  "workload-cert-ttl" .Values.workloadCertTTL
  "max-workload-cert-ttl" .Values.maxWorkloadCertTTL
  "log_output_level" .Values.global.logging.level
}}
{{- with $value }}
- --{{ $flag }}={{ . }}
{{- end }}
{{- end }}
{{- if .Values.global.logAsJson }}
- --log_as_json
{{- end }}
{{- with .Values.extraContainerArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}
