{{- define "cni.labels" -}}
app.kubernetes.io/name: istio-cni
{{ include "mesh.labels" . }}
{{- end }}

{{- define "cni.ownerLabels" -}}
release: {{ quote .Release.Name }}
{{ include "cni.labels" . }}
{{ include "mesh.ownerLabels" (dict "root" . "component" "Cni") }}
{{- end }}

{{- define "cni.platform" -}}
{{ coalesce .Values.platform .Values.global.platform | default "" }}
{{- end }}

{{- define "cni.binDir" -}}
{{ .Values.cniBinDir | default (contains "-gke" .Capabilities.KubeVersion.GitVersion | ternary "/home/kubernetes/bin" "/opt/cni/bin") }}
{{- end }}

{{- define "cni.environment" -}}
{{- include "mesh.fieldEnv" (list (list "REPAIR_NODE_NAME" "spec.nodeName")) }}
- name: REPAIR_RUN_AS_DAEMON
  value: "true"
- name: REPAIR_SIDECAR_ANNOTATION
  value: sidecar.istio.io/status
{{- if not (and .Values.ambient.enabled .Values.ambient.shareHostNetworkNamespace) }}
- name: ALLOW_SWITCH_TO_HOST_NS
  value: "true"
{{- end }}
{{- include "mesh.fieldEnv" (list (list "NODE_NAME" "spec.nodeName" "v1")) }}
- name: GOMEMLIMIT
  valueFrom:
    resourceFieldRef:
      resource: limits.memory
      divisor: "1"
{{- include "mesh.fieldEnv" (list (list "POD_NAME" "metadata.name") (list "POD_NAMESPACE" "metadata.namespace")) }}
{{- include "mesh.env" .Values.env }}
{{- end }}
