{{- /* Copied from charts/common/gateways/templates/_deployment.tpl: change it there, then `npm run gen:charts`. */ -}}
{{- /* The deployment but for what its pod is; takes (dict "root" "labels" "template"), of which template is YAML. */}}
{{- define "mesh.gateway.deployment" -}}
{{- $gateway := include "mesh.gateway.values" .root | fromYaml -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $gateway.name }}
  namespace: {{ quote .root.Release.Namespace }}
  labels:
    {{- toYaml $gateway.labels | nindent 4 }}
    {{- include "mesh.gateway.labels" .root | nindent 4 }}
    {{- with .labels }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  {{- if and (not $gateway.autoscaleEnabled) $gateway.replicaCount }}
  replicas: {{ $gateway.replicaCount }}
  {{- end }}
  selector:
    matchLabels:
      {{- toYaml $gateway.labels | nindent 6 }}
  strategy:
    rollingUpdate:
      maxSurge: {{ $gateway.rollingMaxSurge }}
      maxUnavailable: {{ $gateway.rollingMaxUnavailable }}
  template:
    {{- .template | nindent 4 }}
{{- end }}
