{{- /* `helm template` without a name calls the release so. */}}
{{- define "gateway.name" -}}
{{ .Values.name | default (eq .Release.Name "RELEASE-NAME" | ternary "" .Release.Name) | default "istio-ingressgateway" }}
{{- end }}

{{- define "gateway.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (empty .Values.serviceAccount.create | ternary "default" (include "gateway.name" .)) }}
{{- end }}

{{- /* What a Gateway selects by. */}}
{{- define "gateway.selectorLabels" -}}
app: {{ .Values.labels.app | default (include "gateway.name" .) | quote }}
istio: {{ .Values.labels.istio | default (include "gateway.name" . | trimPrefix "istio-") | quote }}
{{- end }}

{{- define "gateway.labels" -}}
{{ include "gateway.selectorLabels" . }}
{{- range $key, $value := omit .Values.labels "app" "istio" }}
{{ quote $key }}: {{ quote $value }}
{{- end }}
{{- end }}

{{- define "gateway.objectLabels" -}}
app.kubernetes.io/name: {{ include "gateway.name" . }}
{{ include "mesh.labels" . }}
{{ include "gateway.labels" . }}
{{- end }}

{{- /* Metadata of an object that has the gateway's own name. */}}
{{- define "gateway.metadata" -}}
name: {{ include "gateway.name" . }}
namespace: {{ quote .Release.Namespace }}
labels:
  {{- include "gateway.objectLabels" . | nindent 2 }}
{{- end }}
