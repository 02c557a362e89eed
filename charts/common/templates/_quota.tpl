{{- /* Lets a namespace have node-critical pods; takes the number of pods. */}}
{{- define "mesh.nodeCriticalQuota" -}}
hard:
  pods: {{ quote . }}
scopeSelector:
  matchExpressions:
    - scopeName: PriorityClass
      operator: In
      values: [system-node-critical]
{{- end }}
