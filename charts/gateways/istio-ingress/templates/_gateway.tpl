{{- /* Copied from charts/common/gateways/templates/_gateway.tpl: change it there, then `npm run gen:charts`. */ -}}
{{- /*
The charts istio-ingress and istio-egress are these templates both; the annotation kedge/gateway of Chart.yaml says which
one a chart is.
*/}}
{{- define "mesh.gateway.kind" -}}
{{ index .Chart.Annotations "kedge/gateway" }}
{{- end }}

{{- /* Values of the gateway, as YAML. */}}
{{- define "mesh.gateway.values" -}}
{{ index .Values.gateways (printf "istio-%sgateway" (include "mesh.gateway.kind" .)) | toYaml }}
{{- end }}

{{- define "mesh.gateway.labels" -}}
release: {{ quote .Release.Name }}
app.kubernetes.io/name: istio-{{ include "mesh.gateway.kind" . }}gateway
{{ include "mesh.ownerLabels" (dict "root" . "component" (printf "%sGateways" (include "mesh.gateway.kind" . | title))) }}
{{ include "mesh.labels" . }}
{{- end }}

{{- /* Labels of the pod and of its deployment's selector, and who it is for telemetry. */}}
{{- define "mesh.gateway.podLabels" -}}
{{- $gateway := include "mesh.gateway.values" . | fromYaml -}}
{{- toYaml $gateway.labels }}
{{- if eq .Release.Namespace "istio-system" }}
heritage: Tiller
release: istio
chart: gateways
{{- end }}
service.istio.io/canonical-name: {{ $gateway.name }}
service.istio.io/canonical-revision: {{ coalesce (index $gateway.labels "app.kubernetes.io/version") $gateway.labels.version .Values.revision "latest" | quote }}
install.operator.istio.io/owning-resource: {{ .Values.ownerName | default "unknown" }}
operator.istio.io/component: {{ include "mesh.gateway.kind" . | title }}Gateways
app.kubernetes.io/name: istio-{{ include "mesh.gateway.kind" . }}gateway
{{ include "mesh.labels" . }}
{{- end }}

{{- define "mesh.gateway.scrapeAnnotations" -}}
{{- if .Values.meshConfig.enablePrometheusMerge }}
prometheus.io/port: "15020"
prometheus.io/scrape: "true"
prometheus.io/path: /stats/prometheus
{{- end }}
{{- end }}

{{- /* The pod but for the proxy's container and its volumes. */}}
{{- define "mesh.gateway.pod" -}}
{{- $gateway := include "mesh.gateway.values" . | fromYaml }}
{{- if not $gateway.runAsRoot }}
securityContext:
  {{- /* OpenShift assigns users itself. */}}
  {{- if ne (coalesce .Values.platform .Values.global.platform | default "") "openshift" }}
  runAsUser: 1337
  runAsGroup: 1337
  {{- end }}
  runAsNonRoot: true
{{- end }}
serviceAccountName: {{ $gateway.name }}-service-account
{{- with .Values.global.priorityClassName }}
priorityClassName: {{ quote . }}
{{- end }}
affinity:
  {{- include "mesh.gateway.nodeAffinity" (dict "arch" .Values.global.arch "nodeSelector" ($gateway.nodeSelector | default .Values.global.defaultNodeSelector)) | nindent 2 }}
  {{- include "mesh.gateway.podAntiAffinity" $gateway | nindent 2 }}
{{- with $gateway.tolerations | default .Values.global.defaultTolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "mesh.gateway.ports" -}}
{{- range .ports }}
- containerPort: {{ .targetPort | default .port }}
  protocol: {{ .protocol | default "TCP" }}
{{- end }}
- containerPort: 15090
  name: http-envoy-prom
  protocol: TCP
{{- end }}

{{- define "mesh.gateway.securityContext" -}}
{{- if not .runAsRoot -}}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
  privileged: false
  readOnlyRootFilesystem: true
{{- end }}
{{- end }}

{{- /* Mounts and volumes that the user names: secrets and config maps, which may be missing. */}}
{{- define "mesh.gateway.mounts" -}}
{{- range concat (.secretVolumes | default list) (.configVolumes | default list) }}
{{- if .mountPath }}
- name: {{ .name }}
  mountPath: {{ quote .mountPath }}
  readOnly: true
{{- end }}
{{- end }}
{{- end }}

{{- define "mesh.gateway.volumes" -}}
{{- range .secretVolumes }}
- name: {{ .name }}
  secret:
    secretName: {{ quote .secretName }}
    optional: true
{{- end }}
{{- range .configVolumes }}
- name: {{ .name }}
  configMap:
    name: {{ quote .configMapName }}
    optional: true
{{- end }}
{{- end }}
