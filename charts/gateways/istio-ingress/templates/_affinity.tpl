{{- /* Copied from charts/common/gateways/templates/_affinity.tpl: change it there, then `npm run gen:charts`. */ -}}
{{- /*
Nodes by architecture and labels; takes (dict "arch" "nodeSelector"). `arch` gives architectures a weight: 0 is never.
*/}}
{{- define "mesh.gateway.nodeAffinity" -}}
{{- $wanted := dict }}
{{- range $arch, $weight := .arch }}
  {{- if gt (int $weight) 0 }}{{ $_ := set $wanted $arch (int $weight) }}{{ end }}
{{- end }}
{{- $terms := list }}
{{- if .arch }}
  {{- $terms = append $terms (dict "key" "kubernetes.io/arch" "operator" "In" "values" (keys $wanted | sortAlpha | default nil)) }}
{{- end }}
{{- range $label, $value := .nodeSelector }}
  {{- $terms = append $terms (dict "key" $label "operator" "In" "values" (list (toString $value))) }}
{{- end -}}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    {{- with $terms }}
    nodeSelectorTerms:
      - matchExpressions:
          {{- toYaml . | nindent 10 }}
    {{- end }}
  preferredDuringSchedulingIgnoredDuringExecution:
    {{- range $arch, $weight := $wanted }}
    - weight: {{ $weight }}
      preference:
        matchExpressions:
          - key: kubernetes.io/arch
            operator: In
            values: [{{ quote $arch }}]
    {{- end }}
{{- end }}

{{- /* Pods not to share a node or zone with: those it must not, and those it rather wouldn't. */}}
{{- define "mesh.gateway.podAntiAffinity" -}}
{{- if or .podAntiAffinityLabelSelector .podAntiAffinityTermLabelSelector }}
podAntiAffinity:
  {{- with .podAntiAffinityLabelSelector }}
  requiredDuringSchedulingIgnoredDuringExecution:
    {{- range . }}
    - {{ include "mesh.gateway.antiAffinityTerm" . | indent 6 | trim }}
      {{- with .namespaces }}
      namespaces: {{ splitList "," . | toJson }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- with .podAntiAffinityTermLabelSelector }}
  preferredDuringSchedulingIgnoredDuringExecution:
    {{- range . }}
    - weight: 100
      podAffinityTerm:
        {{- include "mesh.gateway.antiAffinityTerm" . | nindent 8 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "mesh.gateway.antiAffinityTerm" -}}
labelSelector:
  matchExpressions:
    - key: {{ .key }}
      operator: {{ .operator }}
      {{- with .values }}
      values: {{ splitList "," . | toJson }}
      {{- end }}
topologyKey: {{ .topologyKey }}
{{- end }}
