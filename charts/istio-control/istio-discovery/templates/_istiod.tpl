{{- /* Name of an object of this revision. */}}
{{- define "istiod.name" -}}
{{ list "istiod" .Values.revision | compact | join "-" }}
{{- end }}

{{- /* Name of an object of the cluster: other installations may have one of the same revision. */}}
{{- define "istiod.clusterName" -}}
{{ list .name .root.Values.revision .root.Release.Namespace | compact | join "-" }}
{{- end }}

{{- /* Whether istiod runs in this cluster: not if it is remote, unless pods are injected here all the same. */}}
{{- define "istiod.runsHere" -}}
{{- if or (not .Values.istiodRemote.enabled) .Values.istiodRemote.enabledLocalInjectorIstiod -}}
true
{{- end }}
{{- end }}

{{- /* Whether an istiod, here or remote, has to do with the configuration that lies in this cluster. */}}
{{- define "istiod.ownsConfig" -}}
{{- if or (include "istiod.runsHere" .) .Values.global.configCluster -}}
true
{{- end }}
{{- end }}

{{- define "istiod.labels" -}}
release: {{ quote .Release.Name }}
app.kubernetes.io/name: istiod
{{ include "mesh.labels" . }}
{{- end }}

{{- define "istiod.revisionLabels" -}}
{{ include "istiod.labels" . }}
{{ include "mesh.ownerLabels" (dict "root" . "component" "Pilot") }}
{{- end }}

{{- /* By what the pods of this revision are found: those of the default one by `istio`, so that it gets none of a canary's. */}}
{{- define "istiod.selector" -}}
app: istiod
{{- if .Values.revision }}
istio.io/rev: {{ quote .Values.revision }}
{{- else }}
istio: pilot
{{- end }}
{{- end }}

{{- /* Takes the map that has ipFamilyPolicy and ipFamilies. */}}
{{- define "istiod.ipFamilies" -}}
{{- with .ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .ipFamilies }}
ipFamilies:
  {{- range . }}
  - {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* What remotePilotAddress is: IPv4, IPv6 or a host. */}}
{{- define "istiod.addressType" -}}
{{- if regexMatch "^([0-9]*\\.){3}[0-9]*$" . -}}
IPv4
{{- else if regexMatch "^([0-9a-fA-F]*:)+[0-9a-fA-F]*$" . -}}
IPv6
{{- else -}}
host
{{- end }}
{{- end }}

{{- /* Name of the service of a remote istiod; the plain one is taken where an istiod injects here. */}}
{{- define "istiod.remoteName" -}}
{{ list (include "istiod.name" .) (empty .Values.istiodRemote.enabledLocalInjectorIstiod | ternary "" "remote") | compact | join "-" }}
{{- end }}

{{- define "istiod.injectionClient" -}}
{{- with .Values.istiodRemote }}
{{- if .injectionURL }}
url: {{ quote .injectionURL }}
{{- else }}
service:
  name: {{ include "istiod.name" $ }}
  namespace: {{ quote $.Release.Namespace }}
  path: {{ quote .injectionPath }}
  port: 443
{{- end }}
{{- with .injectionCABundle }}
caBundle: {{ quote . }}
{{- end }}
{{- end }}
{{- end }}

{{- /* An injection webhook configuration; takes (dict "root" "name" "labels" "revision" "forDefault"). */}}
{{- define "istiod.injector" -}}
{{- $root := .root }}{{ $values := .root.Values }}
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: {{ list .name (eq $root.Release.Namespace "istio-system" | ternary "" $root.Release.Namespace) | compact | join "-" }}
  labels:
    app: sidecar-injector
    {{- with .labels }}{{ toYaml . | nindent 4 }}{{ end }}
    {{- include "istiod.revisionLabels" $root | nindent 4 }}
  {{- with $values.sidecarInjectorWebhookAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
webhooks:
  {{- include "mesh.injectionWebhooks" (dict
    "revision" .revision
    "forDefault" .forDefault
    "everywhere" $values.sidecarInjectorWebhook.enableNamespacesByDefault
    "webhook" (dict
      "clientConfig" (include "istiod.injectionClient" $root | fromYaml)
      "reinvocationPolicy" $values.sidecarInjectorWebhook.reinvocationPolicy)
  ) | nindent 2 }}
{{- end }}

{{- /* Rules of a role, of a list of (list GROUPS RESOURCES VERBS) or (list GROUPS RESOURCES VERBS NAMES). */}}
{{- define "istiod.rules" -}}
{{- range . }}
- apiGroups: {{ index . 0 | toJson }}
  resources: {{ index . 1 | toJson }}
  {{- if gt (len .) 3 }}
  resourceNames: {{ with index . 3 }}{{ toJson . }}{{ end }}
  {{- end }}
  verbs: {{ index . 2 | toJson }}
{{- end }}
{{- end }}

{{- /* A binding; takes (dict "root" "kind" "name"): the role that it binds istiod to has its name. */}}
{{- define "istiod.binding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ .name }}
  {{- if eq .kind "Role" }}
  namespace: {{ quote .root.Values.global.istioNamespace }}
  {{- end }}
  labels:
    app: istiod
    {{- include "istiod.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "istiod.name" .root }}
    namespace: {{ quote .root.Values.global.istioNamespace }}
{{- end }}

{{- /* A service before the pods of this revision; takes (dict "root" "name" "labels"). */}}
{{- define "istiod.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ quote .root.Release.Namespace }}
  labels:
    app: istiod
    istio: pilot
    {{- with .labels }}{{ toYaml . | nindent 4 }}{{ end }}
    {{- include "istiod.revisionLabels" .root | nindent 4 }}
  {{- with .root.Values.serviceAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  ports:
    - name: grpc-xds
      port: 15010
      protocol: TCP
    - name: https-dns
      port: 15012
      protocol: TCP
    - name: https-webhook
      port: 443
      targetPort: 15017
      protocol: TCP
    - name: http-monitoring
      port: 15014
      protocol: TCP
  selector:
    {{- include "istiod.selector" .root | nindent 4 }}
  {{- include "istiod.ipFamilies" .root.Values | nindent 2 }}
{{- end }}

{{- /* Selects objects that name this revision. */}}
{{- define "istiod.revisionSelector" -}}
matchExpressions:
  - key: istio.io/rev
    operator: In
    values:
      - {{ .Values.revision | default "default" | quote }}
{{- end }}
