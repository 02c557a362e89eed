{{- /* Copied from charts/common/templates/_mesh.tpl: change it there, then `npm run gen:charts`. */ -}}
{{- /* Labels of every object of every chart. */}}
{{- define "mesh.labels" -}}
app.kubernetes.io/managed-by: {{ quote .Release.Service }}
app.kubernetes.io/instance: {{ quote .Release.Name }}
app.kubernetes.io/part-of: istio
app.kubernetes.io/version: {{ quote .Chart.AppVersion }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* Labels that tell which installation an object belongs to; takes (dict "root" $ "component" NAME). */}}
{{- define "mesh.ownerLabels" -}}
istio.io/rev: {{ .root.Values.revision | default "default" | quote }}
install.operator.istio.io/owning-resource: {{ .root.Values.ownerName | default "unknown" }}
operator.istio.io/component: {{ .component }}
{{- end }}

{{- /* Limits and requests, those without an amount left out. */}}
{{- define "mesh.resources" -}}
{{- range $kind := list "limits" "requests" }}
  {{- $amounts := dict }}
  {{- range $resource, $amount := index $ $kind }}
    {{- if $amount }}{{ $_ := set $amounts $resource $amount }}{{ end }}
  {{- end }}
  {{- if $amounts }}
{{ $kind }}:
    {{- range $resource, $amount := $amounts }}
  {{ $resource }}: {{ $amount }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* The value of an image; takes (dict "hub" "image" "tag" "variant"). An image with a path is taken as it is. */}}
{{- define "mesh.image" -}}
{{- if contains "/" .image -}}
{{ quote .image }}
{{- else -}}
{{ list (printf "%v/%v:%v" .hub .image .tag) .variant | compact | join "-" | quote }}
{{- end }}
{{- end }}

{{- /* Environment variables of a map. */}}
{{- define "mesh.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ if kindIs "invalid" $value }}""{{ else }}{{ quote $value }}{{ end }}
{{- end }}
{{- end }}

{{- /* Environment variables of fields of the pod; takes a list of (list NAME PATH) or (list NAME PATH VERSION). */}}
{{- define "mesh.fieldEnv" -}}
{{- range . }}
- name: {{ index . 0 }}
  valueFrom:
    fieldRef:
      {{- if gt (len .) 2 }}
      apiVersion: {{ index . 2 }}
      {{- end }}
      fieldPath: {{ index . 1 }}
{{- end }}
{{- end }}

{{- /* References to secrets, of a list of their names. */}}
{{- define "mesh.imagePullSecrets" -}}
{{- with . }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Source of the volume with the roots of the mesh; takes (dict "env" "name"), NAME being that of the bundle. */}}
{{- define "mesh.rootsVolume" -}}
{{- if eq (toString (.env).ENABLE_CLUSTER_TRUST_BUNDLE_API) "true" -}}
projected:
  sources:
    - clusterTrustBundle:
        name: istio.io:istiod-ca:{{ .name | default "root-cert" }}
        path: root-cert.pem
{{- else -}}
configMap:
  name: {{ .name | default "istio-ca-root-cert" }}
{{- end }}
{{- end }}

{{- /* The rule of a network policy that lets everything out: where proxies and keys are is for users to say. */}}
{{- define "mesh.openEgress" -}}
egress:
  - {}
{{- end }}

{{- /* Rules of a network policy, one for each list of ports; a port is TCP or (list PORT PROTOCOL). */}}
{{- define "mesh.ingressPorts" -}}
{{- range . }}
- ports:
  {{- range . }}
    {{- if kindIs "slice" . }}
    - port: {{ index . 0 }}
      protocol: {{ index . 1 }}
    {{- else }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- /*
Whether a deployment has more than one replica: a disruption budget for a single one would hold up every drain of its node.
Takes (list AUTOSCALED MINIMUM REPLICAS).
*/}}
{{- define "mesh.isReplicated" -}}
{{- if gt (empty (index . 0) | ternary (index . 2) (index . 1) | int) 1 -}}
true
{{- end }}
{{- end }}
